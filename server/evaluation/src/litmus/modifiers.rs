//! The words that litmus tests and PTX share, and what they mean to the memory model.
//!
//! Must not know what stands around them.

use memory_model::arithmetic::{AluOp, Compare};
use memory_model::{BarrierMode, FenceKind, Scope, Sem};

/// The order that a word demands, and the scope where it brings one along: volatile accesses are relaxed in the system scope.
pub fn order(word: &str) -> Option<(Sem, Option<Scope>)> {
    match word {
        "volatile" | "mmio" => Some((Sem::Relaxed, Some(Scope::Sys))),
        _ => Sem::parse(word).map(|order| (order, None)),
    }
}

/// What a fence orders, by its modifiers; nothing of those between proxies but the one between aliases.
pub fn fence(modifiers: &[&str]) -> Option<FenceKind> {
    match modifiers {
        ["proxy", "alias"] => Some(FenceKind::Alias),
        ["sc", scope] => Scope::parse(scope).map(FenceKind::Sc),
        ["acq_rel", scope] | [scope] => Scope::parse(scope).map(FenceKind::AcqRel),
        ["acquire", scope] => Scope::parse(scope).map(FenceKind::Acquire),
        ["release", scope] => Scope::parse(scope).map(FenceKind::Release),
        _ => None,
    }
}

/// What a `membar` orders, by its level.
pub fn membar(level: &str) -> Option<FenceKind> {
    let scope = match level {
        "cta" => Scope::Cta,
        "gl" => Scope::Gpu,
        "sys" => Scope::Sys,
        _ => return None,
    };
    Some(FenceKind::Sc(scope))
}

/// What is done at a barrier.
pub fn mode(word: &str) -> Option<BarrierMode> {
    match word {
        "sync" => Some(BarrierMode::Sync),
        "arrive" => Some(BarrierMode::Arrive),
        "wait" => Some(BarrierMode::Wait),
        _ => None,
    }
}

/// How two values are compared.
pub fn comparison(word: &str) -> Option<Compare> {
    match word {
        "eq" => Some(Compare::Eq),
        "ne" => Some(Compare::Ne),
        "lt" => Some(Compare::Lt),
        "le" => Some(Compare::Le),
        "gt" => Some(Compare::Gt),
        "ge" => Some(Compare::Ge),
        _ => None,
    }
}

/// What is computed of registers.
pub fn arithmetic(mnemonic: &str) -> Option<AluOp> {
    match mnemonic {
        "mov" => Some(AluOp::Move),
        "add" => Some(AluOp::Add),
        "sub" => Some(AluOp::Sub),
        "mul" => Some(AluOp::Mul),
        "div" => Some(AluOp::Div),
        "rem" => Some(AluOp::Rem),
        "and" => Some(AluOp::And),
        "or" => Some(AluOp::Or),
        "xor" => Some(AluOp::Xor),
        "shl" => Some(AluOp::Shl),
        "shr" => Some(AluOp::Shr),
        "min" => Some(AluOp::Min),
        "max" => Some(AluOp::Max),
        _ => None,
    }
}

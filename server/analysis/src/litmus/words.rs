//! The words that litmus tests and PTX share, and what they mean to the memory model.
//!
//! Must not know what stands around them.

use memory_model::compute::{Compare, Op};
use memory_model::{Mode, Reach, Scope, Sem};

/// The order that a word demands, and the scope where it brings one along: volatile accesses are relaxed in the system scope.
pub fn order(word: &str) -> Option<(Sem, Option<Scope>)> {
    match word {
        "volatile" | "mmio" => Some((Sem::Relaxed, Some(Scope::Sys))),
        _ => Sem::parse(word).map(|order| (order, None)),
    }
}

/// What a fence orders, by its modifiers; nothing of those between proxies but the one between aliases.
pub fn fence(modifiers: &[&str]) -> Option<Reach> {
    match modifiers {
        ["proxy", "alias"] => Some(Reach::Alias),
        ["sc", scope] => Scope::parse(scope).map(Reach::Sc),
        ["acq_rel", scope] | [scope] => Scope::parse(scope).map(Reach::AcqRel),
        ["acquire", scope] => Scope::parse(scope).map(Reach::Acquire),
        ["release", scope] => Scope::parse(scope).map(Reach::Release),
        _ => None,
    }
}

/// What a `membar` orders, by its level.
pub fn membar(level: &str) -> Option<Reach> {
    let scope = match level {
        "cta" => Scope::Cta,
        "gl" => Scope::Gpu,
        "sys" => Scope::Sys,
        _ => return None,
    };
    Some(Reach::Sc(scope))
}

/// What is done at a barrier.
pub fn mode(word: &str) -> Option<Mode> {
    match word {
        "sync" => Some(Mode::Sync),
        "arrive" => Some(Mode::Arrive),
        "wait" => Some(Mode::Wait),
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
pub fn arithmetic(mnemonic: &str) -> Option<Op> {
    match mnemonic {
        "mov" => Some(Op::Move),
        "add" => Some(Op::Add),
        "sub" => Some(Op::Sub),
        "mul" => Some(Op::Mul),
        "div" => Some(Op::Div),
        "rem" => Some(Op::Rem),
        "and" => Some(Op::And),
        "or" => Some(Op::Or),
        "xor" => Some(Op::Xor),
        "shl" => Some(Op::Shl),
        "shr" => Some(Op::Shr),
        "min" => Some(Op::Min),
        "max" => Some(Op::Max),
        _ => None,
    }
}

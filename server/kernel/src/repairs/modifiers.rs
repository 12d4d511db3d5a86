//! Modifiers and mnemonics that litmus tests and PTX share, and their meaning in the memory model.

use memory_model::arithmetic::{AluOp, Compare};
use memory_model::{BarrierMode, FenceKind, FencedSpace, ModelProxyFence, Proxy, Scope, Sem};

/// The memory order of a modifier, and its scope if it implies one: volatile accesses are relaxed in system scope.
pub fn order(word: &str) -> Option<(Sem, Option<Scope>)> {
    match word {
        "volatile" | "mmio" => Some((Sem::Relaxed, Some(Scope::Sys))),
        _ => Sem::parse(word).map(|order| (order, None)),
    }
}

/// The kind of a fence with these modifiers. Of the proxy fences, only `.proxy.alias` is known.
pub fn fence(modifiers: &[&str]) -> Option<FenceKind> {
    match modifiers {
        ["proxy", "alias"] => Some(FenceKind::Alias),
        ["mbarrier_init", "release", "cluster"] => Some(FenceKind::MbarrierInit),
        ["sc", scope] => Scope::parse(scope).map(FenceKind::Sc),
        ["acq_rel", scope] | [scope] => Scope::parse(scope).map(FenceKind::AcqRel),
        ["acquire", scope] => Scope::parse(scope).map(FenceKind::Acquire),
        ["release", scope] => Scope::parse(scope).map(FenceKind::Release),
        _ => None,
    }
}

/// The proxy fence with these modifiers, which stand after `proxy`: all forms but those of aliases and tensor maps.
pub fn proxy_fence(modifiers: &[&str]) -> Option<ModelProxyFence> {
    let of_async = |space| ModelProxyFence { space, ..ModelProxyFence::of(Proxy::Async) };
    Some(match modifiers {
        ["generic"] => ModelProxyFence::of(Proxy::Generic),
        ["texture"] => ModelProxyFence::of(Proxy::Texture),
        ["surface"] => ModelProxyFence::of(Proxy::Surface),
        ["constant"] => ModelProxyFence::of(Proxy::Constant),
        ["async"] => of_async(None),
        ["async", "global"] => of_async(Some(FencedSpace::Global)),
        ["async", "shared::cta" | "shared::cluster"] => of_async(Some(FencedSpace::Shared)),
        // Their order is left out: a mistake could only allow more.
        ["async::generic", "acquire", "sync_restrict::shared::cluster", "cluster"]
        | ["async::generic", "release", "sync_restrict::shared::cta", "cluster"] => {
            ModelProxyFence { space: Some(FencedSpace::Shared), ..ModelProxyFence::from_generic(Proxy::Async) }
        }
        _ => return None,
    })
}

/// What a proxy fence with an order stands for: `fence.proxy.alias.release.sys`, and those of the fabric, whose accesses are not modelled.
/// A release follows its proxy fence, and an acquire is before it.
pub fn ordered_proxy_fence(modifiers: &[&str]) -> Option<Vec<FenceKind>> {
    let (proxy, order, scope) = match modifiers {
        ["alias", order, scope] => (Some(FenceKind::Alias), order, scope),
        ["fabric::fabric" | "fabric::generic" | "generic::fabric", "alias", order, scope] => (None, order, scope),
        _ => return None,
    };
    let scope = Scope::parse(scope)?;
    match *order {
        "release" => Some(proxy.into_iter().chain([FenceKind::Release(scope)]).collect()),
        "acquire" => Some([FenceKind::Acquire(scope)].into_iter().chain(proxy).collect()),
        _ => None,
    }
}

/// The fence that a `membar` of a level is.
pub fn membar(level: &str) -> Option<FenceKind> {
    let scope = match level {
        "cta" => Scope::Cta,
        "gl" => Scope::Gpu,
        "sys" => Scope::Sys,
        _ => return None,
    };
    Some(FenceKind::Sc(scope))
}

/// The mode of a barrier instruction.
pub fn mode(word: &str) -> Option<BarrierMode> {
    match word {
        "sync" => Some(BarrierMode::Sync),
        "arrive" => Some(BarrierMode::Arrive),
        "wait" => Some(BarrierMode::Wait),
        _ => None,
    }
}

/// The comparison of a modifier.
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

/// The operation of an arithmetic mnemonic.
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

//! What rules want to know of the machine code that atomics become. Must not know rules.

use isa::lowering::{LoweringKind, RECORDED, lowering};
use isa::target::Target;
use isa::types::{Op, Space, Type};
use isa::{Module, Resolution, ResolvedInstruction, Spelling, resolve};

/// An atomic that becomes a loop on compare-and-swap.
#[derive(Clone, Copy)]
pub(crate) struct Emulated {
    /// What to do about it.
    pub help: &'static str,
    /// Whether a native atomic does the same.
    pub has_native: bool,
}

/// What to do about an atomic that becomes a loop on compare-and-swap on the module's target; `None` if it becomes none.
pub(crate) fn emulated(atomic: &ResolvedInstruction, module: &Module) -> Option<Emulated> {
    if !is_loop(atomic, module) {
        return None;
    }
    let shared = matches!(atomic.space.value, Space::SharedCta | Space::SharedCluster);
    let native = |help| Emulated { help, has_native: true };
    let emulated = |help| Emulated { help, has_native: false };
    Some(match (atomic.op, atomic.ty?) {
        (Some(Op::Add), Type::F16) if pair("f16x2", module) && !shared => native(
            "write `.noftz.f16x2`, which is native, on the aligned pair, the other half -0.0; or add up in registers first",
        ),
        (Some(Op::Add), Type::Bf16) if pair("bf16x2", module) && !shared => native(
            "write `.noftz.bf16x2`, which is native, on the aligned pair, the other half -0.0; or add up in registers first",
        ),
        (_, Type::F32 | Type::F64) if shared => emulated(
            "add up in registers or by shuffles over the warp first, or count in integers of 32 bits, which are native",
        ),
        (_, ty) if shared && ty.bits() == 64 => {
            emulated("use 32 bits where they are enough: those are native; or combine the values of a warp first")
        }
        _ => emulated("combine the values of a thread and of its warp first, so that fewer atomics meet"),
    })
}

fn is_loop(atomic: &ResolvedInstruction, module: &Module) -> bool {
    let oldest = || Target::parse(RECORDED[0]);
    // What hardware has, its successors have: a loop on the oldest recorded target is one on those before it.
    let found =
        module.target.and_then(|target| lowering(atomic, target, false)).or_else(|| lowering(atomic, oldest()?, false));
    found.is_some_and(|found| found.kind == LoweringKind::Loop)
}

/// Whether adding a packed pair in global memory is native.
fn pair(ty: &str, module: &Module) -> bool {
    match resolve(&Spelling { mnemonic: "red", modifiers: &["global", "add", "noftz", ty] }, module) {
        Resolution::Legal(legal) => !is_loop(&legal, module),
        _ => false,
    }
}

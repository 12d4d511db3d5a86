//! Which atomics the assembler lowers to compare-and-swap loops.

use isa::lowering::{self, LoweringKind, RECORDED, ResultUse};
use isa::target::Target;
use isa::types::{Op, Space, Type};
use isa::{Module, Resolution, ResolvedInstruction, Spelling, resolve};

/// An atomic that is lowered to a compare-and-swap loop.
#[derive(Clone, Copy, Debug)]
pub struct Emulated {
    /// The help of the diagnostic.
    pub help: &'static str,
    /// Whether a native atomic is equivalent.
    pub has_native: bool,
}

/// Help for an atomic that is lowered to a compare-and-swap loop on the module's target; `None` for native atomics.
pub fn emulated(atomic: &ResolvedInstruction, module: &Module) -> Option<Emulated> {
    if !is_loop(atomic, module) {
        return None;
    }
    let shared = matches!(atomic.space.value, Space::SharedCta | Space::SharedCluster);
    let native = |help| Emulated { help, has_native: true };
    let emulated = |help| Emulated { help, has_native: false };
    Some(match (atomic.op, atomic.ty?) {
        (Some(Op::Add), Type::F16) if pair("f16x2", module) && !shared => native(
            "use the native `.noftz.f16x2` on the aligned pair, with -0.0 in the other half, or accumulate in registers first",
        ),
        (Some(Op::Add), Type::Bf16) if pair("bf16x2", module) && !shared => native(
            "use the native `.noftz.bf16x2` on the aligned pair, with -0.0 in the other half, or accumulate in registers first",
        ),
        (_, Type::F32 | Type::F64) if shared => {
            emulated("reduce in registers or with warp shuffles first, or use 32-bit integers, which are native")
        }
        (_, ty) if shared && ty.bits() == 64 => {
            emulated("use 32 bits, which are native, or combine the values of a warp first")
        }
        _ => emulated("combine the values of a warp first, to reduce contention"),
    })
}

fn is_loop(atomic: &ResolvedInstruction, module: &Module) -> bool {
    let oldest = || Target::parse(RECORDED[0]);
    // Newer hardware keeps native atomics: a loop on the oldest recorded target is also a loop on older ones.
    let found = module
        .target
        .and_then(|target| lowering::kind(atomic, target, ResultUse::Unused))
        .or_else(|| lowering::kind(atomic, oldest()?, ResultUse::Unused));
    found == Some(LoweringKind::Loop)
}

/// Whether adding a packed pair in global memory is native.
fn pair(ty: &str, module: &Module) -> bool {
    match resolve(&Spelling { mnemonic: "red", modifiers: &["global", "add", "noftz", ty] }, module) {
        Resolution::Legal(legal) => !is_loop(&legal, module),
        _ => false,
    }
}

//! What is known of the machine code that atomics become, as far as rules need it. Must not know rules.

use isa::types::{Op, Space, Type};

/// What to write instead of an atomic that becomes a loop; `None` if it becomes none, or that was not measured. As measured on sm_75 to
/// sm_120, the same on all.
pub(crate) fn instead_of_loop(legal: &isa::Instruction) -> Option<&'static str> {
    let (op, ty) = (legal.op?, legal.ty?);
    if !matches!(legal.family.name, "atom" | "red") || legal.lanes > 1 {
        return None;
    }
    let shared = match legal.space.value {
        Space::SharedCta => true,
        // Memory of other CTAs is reached like global memory.
        Space::SharedCluster => return None,
        Space::Global | Space::Generic => false,
    };
    match (op, ty) {
        (Op::Add, Type::F16) => {
            Some("write `.noftz.f16x2` on the aligned pair, the other half -0.0; or add up in registers first")
        }
        (Op::Add, Type::Bf16) => {
            Some("write `.noftz.bf16x2` on the aligned pair, the other half -0.0; or add up in registers first")
        }
        (Op::Add, Type::F32 | Type::F64) if shared => {
            Some("add up in registers or by shuffles over the warp first, or count in integers")
        }
        (Op::Add, Type::F16x2 | Type::Bf16x2) if shared => {
            Some("add up in registers or by shuffles over the warp first")
        }
        (Op::Add | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor, _) if shared && ty.bits() == 64 => {
            Some("use 32 bits where they are enough, or combine the values of a warp first")
        }
        _ => None,
    }
}

//! Matrix operations of a warpgroup.

use crate::kernel::lower::function::FunctionLowering;
use crate::kernel::lower::opcode::InstructionWords;
use crate::kernel::lower::operands::ConstantKind;
use emulator::machine::{MachineAction, MatrixMajor, SharedMatrix, WarpgroupInstruction, WarpgroupMultiply};
use syntax::{Operand, OperandKind, integer_value};

/// The rows of the accumulator.
const ROWS: u32 = 64;

/// Lowers `wgmma`; `None` for sparse matrices.
pub fn warpgroup(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let instruction = match () {
        () if words.has("fence") => {
            lowering.emit(MachineAction::Nothing);
            return Some(());
        }
        () if words.has("commit_group") => WarpgroupInstruction::Commit,
        () if words.has("wait_group") => {
            WarpgroupInstruction::Wait(integer_value(&operands.first()?.token.text)? as u32)
        }
        () if words.has("mma_async") && !words.has("sp") => {
            WarpgroupInstruction::Multiply(Box::new(warpgroup_multiply(lowering, words, operands)?))
        }
        () => return None,
    };
    lowering.emit(MachineAction::Warpgroup(instruction));
    Some(())
}

fn warpgroup_multiply(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<WarpgroupMultiply> {
    let [accumulator, a, b, _scale, rest @ ..] = operands else { return None };
    let columns = words.modifiers.iter().find_map(|word| columns(word))?;
    // After the signs of both inputs stand the majors of the matrices in shared memory, which only types of 16 bits have.
    let is_transposed = |at: usize| rest.get(at).is_some_and(|flag| integer_value(&flag.token.text) == Some(1));
    let major = |at: usize| if is_transposed(at) { MatrixMajor::Mn } else { MatrixMajor::K };
    let mut matrices = Vec::new();
    let is_in_registers = a.kind == OperandKind::Vector;
    if !is_in_registers {
        let descriptor = lowering.source(a, ConstantKind::Bits)?;
        matrices.push(SharedMatrix { descriptor, extent: ROWS, major: major(2) });
    }
    let descriptor = lowering.source(b, ConstantKind::Bits)?;
    matrices.push(SharedMatrix { descriptor, extent: columns, major: major(if is_in_registers { 2 } else { 3 }) });
    let registers = accumulator.lanes();
    let accumulator = registers.iter().map(|one| lowering.destination(one)).collect::<Option<Vec<_>>>()?;
    Some(WarpgroupMultiply { matrices, accumulator, opcode: words.text().into() })
}

/// The number of columns in a shape: 128 of `m64n128k16`.
fn columns(word: &str) -> Option<u32> {
    let (columns, _) = word.strip_prefix("m64n")?.split_once('k')?;
    columns.parse().ok()
}

//! Matrices in the registers of a warp.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use program::{MachineAction, MatrixInstruction, MatrixLayout};
use syntax::Operand;

/// Lowers `ldmatrix`, `stmatrix` and `movmatrix` of 8 by 8 elements of 16 bits; others are tensor instructions.
pub fn matrix(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [first, second] = operands else { return None };
    if !words.has("m8n8") || words.last() != "b16" {
        return None;
    }
    let layout = if words.has("trans") { MatrixLayout::Columns } else { MatrixLayout::Rows };
    let instruction = match &*words.mnemonic {
        "ldmatrix" => {
            let registers = lowering.destinations(first, 32)?.into_iter().collect::<Option<Vec<_>>>()?;
            MatrixInstruction::Load(lowering.address(second, words.space())?, registers, layout)
        }
        "stmatrix" => {
            let registers = lowering.sources(second, 32, ConstantKind::Bits)?;
            MatrixInstruction::Store(lowering.address(first, words.space())?, registers, layout)
        }
        _ => MatrixInstruction::Move(lowering.destination(first)?, lowering.source(second, ConstantKind::Bits)?),
    };
    lowering.emit(MachineAction::Matrix(Box::new(instruction)));
    Some(())
}

//! Matrix operations of a warpgroup.

use crate::lower::function::FunctionLowering;
use crate::lower::matrix_products;
use crate::lower::matrix_products::{fragment, matrix_product, name_bits, product_types, shape};
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::{ElementPosition, fragment_layout};
use program::{
    Destination, MachineAction, MatrixMajor, SharedMatrix, Source, Sparsity, WarpgroupInstruction, WarpgroupMultiply,
    WarpgroupProduct,
};
use syntax::{Operand, OperandKind, integer_value};
use values::matrix::{MatrixArithmetic, MatrixSize};

/// The rows of the accumulator.
const ROWS: u32 = 64;
/// The rows of a warp.
const ROWS_OF_WARP: u32 = 16;
/// The lanes of a warp.
const WARP_LANES: u32 = 32;
/// The chunks of 16 bytes of each row of a.
const CHUNKS: u32 = 2;

/// Lowers `wgmma`.
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
        () if words.has("mma_async") => {
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
    let [accumulator, a, b, rest @ ..] = operands else { return None };
    let (sparse, rest) = if words.has("sp") { rest.split_at_checked(2)? } else { (&[][..], rest) };
    let (scale, rest) = rest.split_first()?;
    let (_, columns, _) = shape(words)?;
    // After the signs of both inputs stand the majors of the matrices in shared memory, which only types of 16 bits have.
    let flag = |at: usize| rest.get(at).and_then(|flag| integer_value(&flag.token.text));
    let major = |at: usize| if flag(at) == Some(1) { MatrixMajor::Mn } else { MatrixMajor::K };
    let mut matrices = Vec::new();
    let is_in_registers = a.kind == OperandKind::Vector;
    if !is_in_registers {
        let descriptor = lowering.source(a, ConstantKind::Bits)?;
        matrices.push(SharedMatrix { descriptor, extent: ROWS, chunks: CHUNKS, major: major(2) });
    }
    let descriptor = lowering.source(b, ConstantKind::Bits)?;
    let chunks = if sparse.is_empty() { CHUNKS } else { 2 * CHUNKS };
    let major = major(if is_in_registers { 2 } else { 3 });
    matrices.push(SharedMatrix { descriptor, extent: columns, chunks, major });
    let registers = accumulator.lanes();
    let accumulator = registers.iter().map(|one| lowering.destination(one)).collect::<Option<Vec<_>>>()?;
    let signs = [0, 1].map(|at| flag(at) == Some(-1));
    let accumulates = lowering.source(scale, ConstantKind::Bits)?;
    let a = is_in_registers.then_some(a);
    let product = warpgroup_product(lowering, words, (a, sparse), (&accumulator, accumulates), signs);
    Some(WarpgroupMultiply { matrices, accumulator, product, opcode: words.text().into() })
}

/// What is computed; `None` if that is not known.
fn warpgroup_product(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    (a, sparse): (Option<&Operand>, &[Operand]),
    (accumulator, accumulates): (&[Destination], Source),
    signs: [bool; 2],
) -> Option<WarpgroupProduct> {
    let (_, n, k) = shape(words)?;
    let types = product_types(words)?;
    let arithmetic = MatrixArithmetic::new(matrix_products::tensor_core(lowering)?, &matrix_product(words, types, k))?;
    let sparsity = match sparse {
        [metadata, selector] => Some(Sparsity {
            metadata: lowering.source(metadata, ConstantKind::Bits)?,
            selector: integer_value(&selector.token.text)? as u32,
            bits: types.a.bits(),
        }),
        _ => None,
    };
    let depth = k / types.a.depth();
    let (stored, of_a) = if sparsity.is_some() { (depth / 2, k / 2) } else { (depth, k) };
    let a = match a {
        None => None,
        Some(a) => {
            let layout = fragment_layout("wgmma", "a", &format!("m{ROWS}k{of_a}"), name_bits(types.a))?;
            let registers = lowering.sources(a, 32, ConstantKind::Bits)?;
            Some(fragment(registers, types.a.bits(), layout, |[m, _, k, _]| m * stored + k)?)
        }
    };
    let layout = fragment_layout("wgmma", "d", &format!("m{ROWS}"), types.d.bits())?;
    let columns = layout.first_elements(ROWS_OF_WARP * n / WARP_LANES);
    let of_sums = |[m, column, ..]: ElementPosition| m * n + column;
    let registers = accumulator.iter().map(|destination| Source::Register(destination.slot)).collect();
    let sign = |is_negated: bool, sign: u64| if is_negated { sign } else { 0 };
    Some(WarpgroupProduct {
        size: MatrixSize { m: ROWS_OF_WARP as usize, n: n as usize, k: depth as usize },
        arithmetic,
        a,
        bits: [types.a.bits(), types.b.bits()],
        flipped: [sign(signs[0], types.a.sign()), sign(signs[1], types.b.sign())],
        sparsity,
        c: fragment(registers, types.d.bits(), &columns, of_sums)?,
        accumulates,
        d: fragment(accumulator.to_vec(), types.d.bits(), &columns, of_sums)?,
    })
}

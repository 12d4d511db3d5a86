//! Products of matrices in the registers of a warp: `mma`.

use crate::kernel::lower::function::FunctionLowering;
use crate::kernel::lower::opcode::InstructionWords;
use crate::kernel::lower::operands::ConstantKind;
use emulator::machine::{Destination, MachineAction, MatrixFragment, MatrixInstruction, Source, WarpProduct};
use emulator::matrix::{
    AccumulatorType, BitOperation, IntegerOverflow, MatrixArithmetic, MatrixElement, MatrixProduct, MatrixSize,
    MatrixUnit, TensorCore,
};
use emulator::scalar::Rounding;
use isa::{FragmentLayout, fragment_layout};
use syntax::Operand;

/// The types of the matrices of an instruction.
#[derive(Clone, Copy)]
pub struct ProductTypes {
    pub d: AccumulatorType,
    pub a: MatrixElement,
    pub b: MatrixElement,
    pub c: AccumulatorType,
}

/// Lowers `mma`; `None` where it is not known what the GPU computes.
pub fn matrix_product(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [d, a, b, c] = operands else { return None };
    let (m, n, k) = shape(words)?;
    let types = product_types(words)?;
    let is_narrow = |element: MatrixElement| matches!(element, MatrixElement::Float(_)) && element.bits() < 8;
    // How elements of 4 and 6 bits are placed in bytes was not measured.
    if is_narrow(types.a) || is_narrow(types.b) || words.has("block_scale") {
        return None;
    }
    let size = MatrixSize { m: m as usize, n: n as usize, k: (k / types.a.depth()) as usize };
    let product = warp_product(words, types, k);
    let arithmetic = MatrixArithmetic::new(tensor_core(lowering)?, &product)?;
    let layout = |matrix, size: String, bits| fragment_layout("mma", matrix, &size, bits);
    let name_bits = |element: MatrixElement| element.bits() / element.depth();
    let of_a = layout("a", format!("m{m}k{k}"), name_bits(types.a))?;
    let of_b = layout("b", format!("n{n}k{k}"), name_bits(types.b))?;
    let of_d = layout("d", format!("m{m}n{n}"), types.d.bits())?;
    let by_row = |[m, _, k]: [u32; 3]| m * size.k as u32 + k;
    let by_column = |[_, n, k]: [u32; 3]| n * size.k as u32 + k;
    let of_sums = |[row, column, _]: [u32; 3]| row * n + column;
    let sources = [(a, types.a.bits()), (b, types.b.bits()), (c, types.c.bits())]
        .map(|(operand, bits)| lowering.sources(operand, bits.max(32), ConstantKind::Bits));
    let [a, b, c] = sources;
    let d = lowering.destinations(d, types.d.bits().max(32))?.into_iter().collect::<Option<Vec<Destination>>>()?;
    let product = WarpProduct {
        size,
        arithmetic,
        a: fragment(a?, types.a.bits(), of_a, by_row)?,
        b: fragment(b?, types.b.bits(), of_b, by_column)?,
        c: fragment::<Source>(c?, types.c.bits(), of_d, of_sums)?,
        d: fragment(d, types.d.bits(), of_d, of_sums)?,
    };
    lowering.emit(MachineAction::Matrix(Box::new(MatrixInstruction::Multiply(Box::new(product)))));
    Some(())
}

/// The tensor cores that the kernel runs on.
fn tensor_core(lowering: &FunctionLowering<'_, '_>) -> Option<TensorCore> {
    TensorCore::of(lowering.module.module.target?)
}

/// The numbers of a shape such as `m16n8k16`.
fn shape(words: &InstructionWords) -> Option<(u32, u32, u32)> {
    words.modifiers.iter().find_map(|word| {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
    })
}

/// The types of d, a, b and c, in the order of the words.
fn product_types(words: &InstructionWords) -> Option<ProductTypes> {
    let is_type = |word: &&str| MatrixElement::parse(word).is_some() || AccumulatorType::parse(word).is_some();
    let types: Vec<&str> = words.modifiers.iter().map(String::as_str).filter(is_type).collect();
    let [d, a, b, c] = types[..] else { return None };
    Some(ProductTypes {
        d: AccumulatorType::parse(d)?,
        a: MatrixElement::parse(a)?,
        b: MatrixElement::parse(b)?,
        c: AccumulatorType::parse(c)?,
    })
}

fn warp_product(words: &InstructionWords, ProductTypes { d, a, b, c }: ProductTypes, k: u32) -> MatrixProduct {
    let roundings = [("rn", Rounding::Nearest), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)];
    let rounding = words.one_of(&roundings).unwrap_or(Rounding::Nearest);
    let overflow = if words.has("satfinite") { IntegerOverflow::Clamp } else { IntegerOverflow::Wrap };
    let operation = if words.has("and") { BitOperation::And } else { BitOperation::Xor };
    MatrixProduct { unit: MatrixUnit::Warp, a, b, c, d, k, rounding, overflow, operation }
}

/// A fragment by its layout and the index of a position; `None` if it has another number of registers.
fn fragment<R: Copy>(
    registers: Vec<R>,
    bits: u32,
    layout: &FragmentLayout,
    index: impl Fn([u32; 3]) -> u32,
) -> Option<MatrixFragment<R>> {
    let lanes = (0..layout.threads()).map(|lane| index(layout.position(lane, 0))).collect();
    let elements: Vec<u32> = (0..layout.elements()).map(|element| index(layout.position(0, element))).collect();
    let fragment = MatrixFragment { registers, bits, lanes, elements };
    (fragment.elements.len().div_ceil(fragment.per_register()) == fragment.registers.len()).then_some(fragment)
}

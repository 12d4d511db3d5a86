//! Products of matrices in the registers of a warp: `mma` and `wmma`.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::{ElementPosition, FragmentLayout, fragment_layout};
use program::{
    Destination, FragmentAccess, MachineAction, MatrixFragment, MatrixInstruction, Source, Sparsity, WarpProduct,
};
use syntax::{Operand, integer_value};
use values::matrix::{
    AccumulatorType, BitOperation, IntegerOverflow, MatrixArithmetic, MatrixElement, MatrixProduct, MatrixSize,
    MatrixUnit, TensorCore,
};
use values::scalar::{FloatFormat, Rounding};

/// The types of the matrices of an instruction.
#[derive(Clone, Copy)]
pub struct ProductTypes {
    pub d: AccumulatorType,
    pub a: MatrixElement,
    pub b: MatrixElement,
    pub c: AccumulatorType,
}

/// The layouts of the matrices of an instruction.
#[derive(Clone, Copy)]
struct ProductLayouts {
    a: &'static FragmentLayout,
    b: &'static FragmentLayout,
    c: &'static FragmentLayout,
    d: &'static FragmentLayout,
}

/// The bits of a place in a line of a matrix in memory.
const PLACE_BITS: u32 = 16;

/// Lowers `mma`; `None` where it is not known what the GPU computes.
pub fn warp_product(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [d, a, b, c, sparse @ ..] = operands else { return None };
    let (m, n, k) = shape(words)?;
    let types = product_types(words)?;
    let is_narrow = |element: MatrixElement| matches!(element, MatrixElement::Float(_)) && element.bits() < 8;
    // How elements of 4 and 6 bits are placed in bytes was not measured.
    if is_narrow(types.a) || is_narrow(types.b) || words.has("block_scale") {
        return None;
    }
    let sparsity = match sparse {
        [] => None,
        [metadata, selector] => Some(Sparsity {
            metadata: lowering.source(metadata, ConstantKind::Bits)?,
            selector: integer_value(&selector.token.text)? as u32,
            bits: types.a.bits(),
        }),
        _ => return None,
    };
    let stored = if sparsity.is_some() { k / 2 } else { k };
    let layout = |matrix: &str, size: String, bits| fragment_layout("mma", matrix, &size, bits);
    let layouts = if (m, n, k, types.a) == (8, 8, 4, MatrixElement::Float(FloatFormat::F16)) {
        let [of_a, of_b] = majors(words)?;
        ProductLayouts {
            a: layout(&format!("a.{of_a}"), format!("m{m}k{k}"), 16)?,
            b: layout(&format!("b.{of_b}"), format!("n{n}k{k}"), 16)?,
            c: layout("d.quad", format!("m{m}n{n}"), types.c.bits())?,
            d: layout("d.quad", format!("m{m}n{n}"), types.d.bits())?,
        }
    } else {
        let sums = layout("d", format!("m{m}n{n}"), types.d.bits())?;
        ProductLayouts {
            a: layout("a", format!("m{m}k{stored}"), name_bits(types.a))?,
            b: layout("b", format!("n{n}k{k}"), name_bits(types.b))?,
            c: sums,
            d: sums,
        }
    };
    multiply(lowering, [d, a, b, c], words, ((m, n, k), types, layouts), sparsity)
}

/// Lowers `wmma`.
pub fn warp_matrix(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let access = words.modifiers.iter().position(|word| word == "load" || word == "store");
    if let Some(at) = access {
        return fragment_access(lowering, words, words.modifiers.get(at + 1)?, operands);
    }
    let [d, a, b, c] = operands else { return None };
    let (m, n, k) = shape(words)?;
    let types = product_types(words)?;
    let layout = |matrix, size: String, bits| fragment_layout("wmma", matrix, &size, bits);
    let sums = layout("d", format!("m{m}n{n}"), types.d.bits())?;
    let layouts = ProductLayouts {
        a: layout("a", format!("m{m}k{k}"), name_bits(types.a))?,
        b: layout("b", format!("n{n}k{k}"), name_bits(types.b))?,
        c: sums,
        d: sums,
    };
    multiply(lowering, [d, a, b, c], words, ((m, n, k), types, layouts), None)
}

fn multiply(
    lowering: &mut FunctionLowering<'_, '_>,
    [d, a, b, c]: [&Operand; 4],
    words: &InstructionWords,
    ((m, n, k), types, layouts): ((u32, u32, u32), ProductTypes, ProductLayouts),
    sparsity: Option<Sparsity>,
) -> Option<()> {
    let depth = k / types.a.depth();
    let stored = if sparsity.is_some() { depth / 2 } else { depth };
    let arithmetic = MatrixArithmetic::new(tensor_core(lowering)?, &matrix_product(words, types, k))?;
    let mut sources = |operand, bits: u32| lowering.sources(operand, bits.max(32), ConstantKind::Bits);
    let (of_a, of_b, of_c) = (sources(a, types.a.bits())?, sources(b, types.b.bits())?, sources(c, types.c.bits())?);
    let of_d = lowering.destinations(d, types.d.bits().max(32))?.into_iter().collect::<Option<Vec<Destination>>>()?;
    let by_row = |[m_at, _, k_at, q]: ElementPosition| (q * m + m_at) * stored + k_at;
    let by_column = |[_, n_at, k_at, q]: ElementPosition| (q * n + n_at) * depth + k_at;
    let of_sums = |[m_at, n_at, _, q]: ElementPosition| (q * m + m_at) * n + n_at;
    let product = WarpProduct {
        size: MatrixSize { m: m as usize, n: n as usize, k: depth as usize },
        products: (layouts.d.threads() * layouts.d.elements() / (m * n)) as usize,
        arithmetic,
        a: held(fragment(of_a, types.a.bits(), layouts.a, by_row)?),
        b: held(fragment(of_b, types.b.bits(), layouts.b, by_column)?),
        c: fragment::<Source>(of_c, types.c.bits(), layouts.c, of_sums)?,
        d: fragment(of_d, types.d.bits(), layouts.d, of_sums)?,
        sparsity,
    };
    lowering.emit(MachineAction::Matrix(Box::new(MatrixInstruction::Multiply(Box::new(product)))));
    Some(())
}

fn fragment_access(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    matrix: &str,
    operands: &[Operand],
) -> Option<()> {
    let is_load = words.has("load");
    let (m, n, k) = shape(words)?;
    let (registers, address, stride) = match (is_load, operands) {
        (true, [registers, address, stride @ ..]) => (registers, address, stride.first()),
        (false, [address, registers, stride @ ..]) => (registers, address, stride.first()),
        _ => return None,
    };
    let word = words.last();
    let (bits, depth) = match MatrixElement::parse(word).filter(|_| matches!(matrix, "a" | "b")) {
        Some(element) => (element.bits(), element.depth()),
        None => (AccumulatorType::parse(word)?.bits(), 1),
    };
    let name_bits = bits / depth;
    let (layout, rows, columns) = match matrix {
        "a" => (fragment_layout("wmma", "a", &format!("m{m}k{k}"), name_bits)?, m, k),
        "b" => (fragment_layout("wmma", "b", &format!("n{n}k{k}"), name_bits)?, k, n),
        _ => (fragment_layout("wmma", "d", &format!("m{m}n{n}"), name_bits)?, m, n),
    };
    let is_by_row = words.has("row");
    let position = |[m, n, k, _]: ElementPosition| {
        let (row, column) = match matrix {
            "a" => (m, k),
            "b" => (k, n),
            _ => (m, n),
        };
        if is_by_row { row << PLACE_BITS | column } else { column << PLACE_BITS | row }
    };
    let stride = match stride {
        Some(stride) => lowering.source(stride, ConstantKind::Bits)?,
        None => lowering.constant(u64::from(if is_by_row { columns } else { rows })),
    };
    let address = lowering.address(address, words.space())?;
    let stride = (stride, name_bits);
    let instruction = if is_load {
        let registers = lowering.destinations(registers, bits.max(32))?.into_iter().collect::<Option<Vec<_>>>()?;
        let fragment = fragment(registers, bits, layout, position)?;
        MatrixInstruction::LoadFragment(Box::new(FragmentAccess { address, stride, fragment }))
    } else {
        let registers = lowering.sources(registers, bits.max(32), ConstantKind::Bits)?;
        let fragment = fragment(registers, bits, layout, position)?;
        MatrixInstruction::StoreFragment(Box::new(FragmentAccess { address, stride, fragment }))
    };
    lowering.emit(MachineAction::Matrix(Box::new(instruction)));
    Some(())
}

/// The tensor cores that the kernel runs on.
pub fn tensor_core(lowering: &FunctionLowering<'_, '_>) -> Option<TensorCore> {
    TensorCore::of(lowering.module.module.target?)
}

/// The bits of an element as PTX counts them.
pub const fn name_bits(element: MatrixElement) -> u32 {
    element.bits() / element.depth()
}

/// The majors of a and b.
fn majors(words: &InstructionWords) -> Option<[&str; 2]> {
    let majors: Vec<&str> =
        words.modifiers.iter().map(String::as_str).filter(|word| matches!(*word, "row" | "col")).collect();
    majors.try_into().ok()
}

/// The numbers of a shape such as `m16n8k16`.
pub fn shape(words: &InstructionWords) -> Option<(u32, u32, u32)> {
    words.modifiers.iter().find_map(|word| {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
    })
}

/// The types of d, a, b and c, in the order of the words. `wmma` of `.f16` names those of d and c alone, `wgmma` those of d, a and b.
pub fn product_types(words: &InstructionWords) -> Option<ProductTypes> {
    let is_type = |word: &&str| MatrixElement::parse(word).is_some() || AccumulatorType::parse(word).is_some();
    let types: Vec<&str> = words.modifiers.iter().map(String::as_str).filter(is_type).collect();
    let (d, a, b, c) = match types[..] {
        [d, c] if words.mnemonic == "wmma" => (d, "f16", "f16", c),
        [d, a, b] if words.mnemonic == "wgmma" => (d, a, b, d),
        [d, a, b, c] => (d, a, b, c),
        _ => return None,
    };
    Some(ProductTypes {
        d: AccumulatorType::parse(d)?,
        a: MatrixElement::parse(a)?,
        b: MatrixElement::parse(b)?,
        c: AccumulatorType::parse(c)?,
    })
}

pub fn matrix_product(words: &InstructionWords, ProductTypes { d, a, b, c }: ProductTypes, k: u32) -> MatrixProduct {
    let roundings = [("rn", Rounding::Nearest), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)];
    let rounding = words.one_of(&roundings).unwrap_or(Rounding::Nearest);
    let overflow = if words.has("satfinite") { IntegerOverflow::Clamp } else { IntegerOverflow::Wrap };
    let operation = if words.has("and") { BitOperation::And } else { BitOperation::Xor };
    let unit = match &*words.mnemonic {
        "wmma" => MatrixUnit::WarpMatrix,
        "wgmma" => MatrixUnit::Warpgroup,
        _ => MatrixUnit::Warp,
    };
    MatrixProduct { unit, a, b, c, d, k, rounding, overflow, operation }
}

/// A fragment by its layout and the index of a position; `None` if it has another number of registers. Where there are more registers than elements,
/// the elements are repeated.
pub fn fragment<R: Copy>(
    registers: Vec<R>,
    bits: u32,
    layout: &FragmentLayout,
    index: impl Fn(ElementPosition) -> u32,
) -> Option<MatrixFragment<R>> {
    let lanes = (0..layout.threads()).map(|lane| index(layout.position(lane, 0))).collect();
    let elements: Vec<u32> = (0..layout.elements()).map(|element| index(layout.position(0, element))).collect();
    let fragment = MatrixFragment { registers, bits, lanes, elements };
    let needed = fragment.elements.len().div_ceil(fragment.per_register());
    if needed == 0 || fragment.registers.len() % needed != 0 {
        return None;
    }
    let elements = fragment.elements.repeat(fragment.registers.len() / needed);
    Some(MatrixFragment { elements, ..fragment })
}

/// The same without the registers that repeat elements.
fn held<R: Copy>(mut fragment: MatrixFragment<R>) -> MatrixFragment<R> {
    let first = fragment.elements.first().copied();
    let repeated = fragment.elements.iter().skip(1).position(|element| Some(*element) == first);
    let count = repeated.map_or(fragment.elements.len(), |at| at + 1);
    fragment.elements.truncate(count);
    fragment.registers.truncate(count.div_ceil(fragment.per_register()));
    fragment
}

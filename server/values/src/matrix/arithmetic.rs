//! Products of matrices.

use crate::matrix::architecture::{ArithmeticSource, FloatForm, MatrixUnit, TensorCore};
use crate::matrix::dot_add::Factors;
use crate::matrix::element::{AccumulatorType, MatrixElement};
use crate::matrix::float_product::{FloatProduct, FloatSteps};
use crate::matrix::integer::{BitOperation, IntegerOverflow, bit_dot_add, extended, integer_dot_add};
use crate::scalar::{Rounding, ScalarOperation};

/// The elements of matrices that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixSize {
    /// The rows of a and d.
    pub m: usize,
    /// The columns of b and d.
    pub n: usize,
    /// The columns of a, and the rows of b: elements, of which each of [`MatrixElement::Bits`] is 32 bits.
    pub k: usize,
}

/// A product as an instruction names it.
#[derive(Clone, Copy, Debug)]
pub struct MatrixProduct {
    /// The unit that computes it.
    pub unit: MatrixUnit,
    /// The type of a.
    pub a: MatrixElement,
    /// The type of b.
    pub b: MatrixElement,
    /// The type of the accumulator that is read.
    pub c: AccumulatorType,
    /// The type of the result.
    pub d: AccumulatorType,
    /// The products of an element.
    pub k: u32,
    /// The rounding of each sum of numbers in binary64.
    pub rounding: Rounding,
    /// What becomes of a sum of integers that is too large.
    pub overflow: IntegerOverflow,
    /// How bits are multiplied.
    pub operation: BitOperation,
}

/// How elements are multiplied and added.
#[derive(Clone, Debug)]
pub struct MatrixArithmetic {
    core: TensorCore,
    c: AccumulatorType,
    kind: ArithmeticKind,
}

#[derive(Clone, Debug)]
enum ArithmeticKind {
    Float(FloatProduct),
    Double(ScalarOperation),
    Integer { a: MatrixElement, b: MatrixElement, overflow: IntegerOverflow },
    Bits(BitOperation),
}

impl MatrixArithmetic {
    /// The arithmetic of a product; `None` if it is not known.
    pub fn new(core: TensorCore, product: &MatrixProduct) -> Option<Self> {
        let MatrixProduct { unit, a, b, c, d, k, rounding, overflow, operation } = *product;
        let kind = match (a, b, d) {
            (MatrixElement::Float(a), MatrixElement::Float(b), _) => {
                ArithmeticKind::Float(core.float_arithmetic(FloatForm { unit, a, b, d, k })?)
            }
            (MatrixElement::Double, MatrixElement::Double, AccumulatorType::Double) => {
                ArithmeticKind::Double(ScalarOperation::new("fma", &[rounding_word(rounding)?, "f64"]).ok()?)
            }
            (MatrixElement::Integer { .. }, MatrixElement::Integer { .. }, AccumulatorType::Integer) => {
                ArithmeticKind::Integer { a, b, overflow }
            }
            (MatrixElement::Bits, MatrixElement::Bits, AccumulatorType::Integer) => ArithmeticKind::Bits(operation),
            _ => return None,
        };
        Some(Self { core, c, kind })
    }

    /// Where it is known from. Products of integers and of numbers in binary64 are defined.
    pub fn source(&self) -> ArithmeticSource {
        match &self.kind {
            ArithmeticKind::Float(_) => self.core.source(),
            ArithmeticKind::Double(_) | ArithmeticKind::Integer { .. } | ArithmeticKind::Bits(_) => {
                ArithmeticSource::Measured
            }
        }
    }

    /// Adds the product of `a` (row by row) and `b` (column by column) to `c` (row by row). In a sparse matrix a, whose rows have half as many
    /// elements, `kept` is the row of b for each element of a.
    pub fn multiply(&self, size: MatrixSize, a: &[u64], b: &[u64], kept: Option<&[u16]>, c: &mut [u64]) {
        match &self.kind {
            ArithmeticKind::Float(float) if float.steps == FloatSteps::Sequential => {
                each_element(size, a, b, kept, c, |a, b, c| float.in_sequence(a, b, c, self.c));
            }
            ArithmeticKind::Float(float) => self.multiply_floats(float, size, (a, b), kept, c),
            ArithmeticKind::Double(fma) => each_element(size, a, b, kept, c, |a, b, c| {
                a.iter().zip(b).fold(c, |sum, (a, b)| fma.compute([*a, *b, sum, 0], false).value)
            }),
            ArithmeticKind::Integer { a: of_a, b: of_b, overflow } => {
                let (a, b) = (integers(*of_a, a), integers(*of_b, b));
                each_element(size, &a, &b, kept, c, |a, b, c| integer_dot_add(a, b, c, *overflow));
            }
            ArithmeticKind::Bits(operation) => {
                each_element(size, a, b, kept, c, |a, b, c| bit_dot_add(a, b, c, *operation));
            }
        }
    }
}

impl MatrixArithmetic {
    fn multiply_floats(
        &self,
        float: &FloatProduct,
        MatrixSize { m, n, k }: MatrixSize,
        (a, b): (&[u64], &[u64]),
        kept: Option<&[u16]>,
        c: &mut [u64],
    ) {
        let (of_a, of_b) = (float.factors(float.a, a), float.factors(float.b, b));
        let in_row = a.len() / m;
        let mut selected = Factors::default();
        for (row, sums) in c.chunks_exact_mut(n).enumerate() {
            let of_row = of_a.slice(row * in_row, in_row);
            for (column, sum) in sums.iter_mut().enumerate() {
                let mut of_column = of_b.slice(column * k, k);
                if let Some(kept) = kept {
                    let places = kept[row * in_row..(row + 1) * in_row].iter().map(|at| usize::from(*at));
                    selected.select(of_column, places);
                    of_column = selected.all();
                }
                *sum = float.dot_add(of_row, of_column, *sum, self.c);
            }
        }
    }
}

/// The word of a rounding.
const fn rounding_word(rounding: Rounding) -> Option<&'static str> {
    Some(match rounding {
        Rounding::Nearest => "rn",
        Rounding::Zero => "rz",
        Rounding::Down => "rm",
        Rounding::Up => "rp",
        Rounding::NearestAway => return None,
    })
}

/// The integers of elements.
fn integers(element: MatrixElement, values: &[u64]) -> Vec<i32> {
    let (width, is_signed) = match element {
        MatrixElement::Integer { bits, is_signed } => (bits, is_signed),
        MatrixElement::Float(_) | MatrixElement::Double | MatrixElement::Bits => (32, true),
    };
    values.iter().map(|bits| extended(*bits, width, is_signed)).collect()
}

/// Replaces each element of c by a function of its row of a, its column of b, and itself.
fn each_element<T: Copy>(
    MatrixSize { m, n, k }: MatrixSize,
    a: &[T],
    b: &[T],
    kept: Option<&[u16]>,
    c: &mut [u64],
    dot_add: impl Fn(&[T], &[T], u64) -> u64,
) {
    let Some(kept) = kept else {
        for (row, sums) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
            for (column, sum) in b.chunks_exact(k).zip(sums) {
                *sum = dot_add(row, column, *sum);
            }
        }
        return;
    };
    let in_row = a.len() / m;
    let mut selected = Vec::with_capacity(in_row);
    for ((row, kept), sums) in a.chunks_exact(in_row).zip(kept.chunks_exact(in_row)).zip(c.chunks_exact_mut(n)) {
        for (column, sum) in b.chunks_exact(k).zip(sums) {
            selected.clear();
            selected.extend(kept.iter().map(|at| column[usize::from(*at)]));
            *sum = dot_add(row, &selected, *sum);
        }
    }
}

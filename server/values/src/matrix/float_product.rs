//! Products of matrices of floating-point numbers: which of them are added together, and in which order.

use crate::matrix::dot_add::{FactorSlice, Factors, FusedDotAdd};
use crate::matrix::element::AccumulatorType;
use crate::scalar::{FloatFormat, Rounding};

/// The arithmetic of floating-point matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatProduct {
    pub(super) a: FloatFormat,
    pub(super) b: FloatFormat,
    pub(super) dot_add: FusedDotAdd,
    pub(super) steps: FloatSteps,
}

/// The products that are added together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatSteps {
    /// All.
    Together,
    /// So many, then the next ones to their rounded sum.
    Each(usize),
    /// Two of each four from zero, then the other two to their sum, as numbers in binary16; then the accumulator is added.
    ConvertedToHalf,
    /// One after the other, by `fma` of binary32 from zero; then the accumulator is added.
    Sequential,
}

impl FloatSteps {
    /// At most so many of k products.
    pub(super) const fn of(k: u32, most: u32) -> Self {
        if k <= most { Self::Together } else { Self::Each(most as usize) }
    }
}

impl FloatProduct {
    /// The numbers of a matrix.
    pub(super) fn factors(&self, format: FloatFormat, bits: &[u64]) -> Factors {
        match self.steps {
            FloatSteps::Together | FloatSteps::Each(_) | FloatSteps::Sequential => {
                Factors::new(format, bits.iter().copied())
            }
            FloatSteps::ConvertedToHalf => {
                Factors::new(FloatFormat::F16, bits.iter().map(|bits| to_half(format, *bits)))
            }
        }
    }

    /// The accumulator after the products of a row and a column.
    pub(super) fn dot_add(&self, a: FactorSlice, b: FactorSlice, c: u64, of_c: AccumulatorType) -> u64 {
        let accumulator = |ty, bits: u64| match ty {
            AccumulatorType::Half => half_to_single(bits) as u32,
            _ => bits as u32,
        };
        match self.steps {
            FloatSteps::Together | FloatSteps::Sequential => self.dot_add.add(a, b, accumulator(of_c, c)),
            FloatSteps::Each(count) => {
                let steps = a.chunks(count).zip(b.chunks(count)).enumerate();
                steps.fold(c, |sum, (number, (a, b))| {
                    let ty = if number == 0 { of_c } else { self.dot_add.result };
                    self.dot_add.add(a, b, accumulator(ty, sum))
                })
            }
            FloatSteps::ConvertedToHalf => {
                let (mut sum, mut of_a, mut of_b) = (0, Factors::default(), Factors::default());
                for half in 0..2 {
                    let places = (0..a.len()).filter(move |at| at % 4 / 2 == half);
                    of_a.select(a, places.clone());
                    of_b.select(b, places);
                    sum = self.dot_add.add(of_a.all(), of_b.all(), accumulator(self.dot_add.result, sum));
                }
                self.converted_sum(sum, c)
            }
        }
    }

    /// The accumulator after products that are added one after the other: for a result in binary16 in two parts. Measured on an H200.
    pub(super) fn in_sequence(&self, a: &[u64], b: &[u64], c: u64, of_c: AccumulatorType) -> u64 {
        let number = |format: FloatFormat, bits: u64| format.to_f64(bits) as f32;
        let format = |ty| if ty == AccumulatorType::Half { FloatFormat::F16 } else { FloatFormat::F32 };
        let part = if self.dot_add.result == AccumulatorType::Half { 2 } else { 4 };
        let sum = a.chunks(part).zip(b.chunks(part)).fold(number(format(of_c), c), |sum, (a, b)| {
            let factors = a.iter().zip(b).map(|(a, b)| (number(self.a, *a), number(self.b, *b)));
            sum + factors.fold(0.0, |sum, (a, b)| a.mul_add(b, sum))
        });
        format(self.dot_add.result).encode(sum.into(), Rounding::Nearest)
    }

    /// A sum of products and an accumulator, both of the result's type, rounded to nearest.
    fn converted_sum(&self, sum: u64, c: u64) -> u64 {
        let format = if self.dot_add.result == AccumulatorType::Half { FloatFormat::F16 } else { FloatFormat::F32 };
        format.encode(format.to_f64(sum) + format.to_f64(c), Rounding::Nearest)
    }
}

/// A number of 8 bits in binary16, exactly.
fn to_half(format: FloatFormat, bits: u64) -> u64 {
    FloatFormat::F16.encode(format.to_f64(bits), Rounding::Nearest)
}

/// A number of binary16 in binary32, exactly.
fn half_to_single(bits: u64) -> u64 {
    FloatFormat::F32.encode(FloatFormat::F16.to_f64(bits), Rounding::Nearest)
}

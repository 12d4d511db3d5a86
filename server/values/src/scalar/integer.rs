//! Integer arithmetic without the carry flag.

use crate::scalar::function::IntegerFunction;
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

/// An integer type of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerType {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
}

impl IntegerType {
    pub(super) const fn of(ty: ScalarType) -> Option<Self> {
        Some(match ty {
            ScalarType::Unsigned(16) | ScalarType::Bits(16) => Self::U16,
            ScalarType::Signed(16) => Self::S16,
            ScalarType::Unsigned(32) | ScalarType::Bits(32) => Self::U32,
            ScalarType::Signed(32) => Self::S32,
            ScalarType::Unsigned(64) | ScalarType::Bits(64) => Self::U64,
            ScalarType::Signed(64) => Self::S64,
            _ => return None,
        })
    }
}

/// Evaluates an expression with `$native` as the native type of an [`IntegerType`].
macro_rules! for_integer {
    ($ty:expr, $native:ident => $body:expr) => {
        match $ty {
            IntegerType::U16 => {
                type $native = u16;
                $body
            }
            IntegerType::S16 => {
                type $native = i16;
                $body
            }
            IntegerType::U32 => {
                type $native = u32;
                $body
            }
            IntegerType::S32 => {
                type $native = i32;
                $body
            }
            IntegerType::U64 => {
                type $native = u64;
                $body
            }
            IntegerType::S64 => {
                type $native = i64;
                $body
            }
        }
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IntegerOp {
    Add,
    AddSaturating,
    Sub,
    SubSaturating,
    MulLow,
    MulHigh,
    MulWide,
    MadLow,
    MadHigh,
    MadHighSaturating,
    MadWide,
    Sad,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    MinRelu,
    MaxRelu,
    Mul24Low,
    Mul24High,
    Mad24Low,
    Mad24High,
    Mad24HighSaturating,
    ClmadLow,
    ClmadHigh,
}

/// An integer instruction and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntegerArithmetic {
    op: IntegerOp,
    ty: IntegerType,
}

#[allow(clippy::unnecessary_cast, reason = "in some expansions the type is `u64` or `i128` already")]
impl IntegerArithmetic {
    /// See [`crate::scalar::ScalarOperation::addends`].
    pub(super) const fn addends(self) -> &'static [usize] {
        match self.op {
            IntegerOp::Add => &[0, 1],
            IntegerOp::MadLow | IntegerOp::MadWide => &[2],
            _ => &[],
        }
    }

    /// See [`crate::scalar::ScalarOperation::integer_function`].
    pub(super) const fn function(self) -> Option<IntegerFunction> {
        Some(match self.op {
            IntegerOp::Add => IntegerFunction::Sum,
            IntegerOp::Sub => IntegerFunction::Difference,
            IntegerOp::MulLow => IntegerFunction::Product,
            IntegerOp::MadLow => IntegerFunction::ProductSum,
            IntegerOp::MulWide => IntegerFunction::WideProduct,
            IntegerOp::MadWide => IntegerFunction::WideProductSum,
            IntegerOp::Div => IntegerFunction::Quotient,
            IntegerOp::Rem => IntegerFunction::Remainder,
            IntegerOp::Neg => IntegerFunction::Negation,
            IntegerOp::Min => IntegerFunction::Minimum,
            IntegerOp::Max => IntegerFunction::Maximum,
            _ => return None,
        })
    }

    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let ty = IntegerType::of(*words.types.first()?)?;
        let (high, wide, sat) = (words.has("hi"), words.has("wide"), words.has("sat"));
        let part = |low, upper, whole| {
            if wide {
                whole
            } else if high {
                upper
            } else {
                low
            }
        };
        let saturating = |plain, saturating| if sat { saturating } else { plain };
        let op = match words.mnemonic {
            "add" => saturating(IntegerOp::Add, IntegerOp::AddSaturating),
            "sub" => saturating(IntegerOp::Sub, IntegerOp::SubSaturating),
            "mul" => part(IntegerOp::MulLow, IntegerOp::MulHigh, IntegerOp::MulWide),
            "mad" if high && sat => IntegerOp::MadHighSaturating,
            "mad" => part(IntegerOp::MadLow, IntegerOp::MadHigh, IntegerOp::MadWide),
            "mul24" => part(IntegerOp::Mul24Low, IntegerOp::Mul24High, IntegerOp::Mul24Low),
            "mad24" if high && sat => IntegerOp::Mad24HighSaturating,
            "mad24" => part(IntegerOp::Mad24Low, IntegerOp::Mad24High, IntegerOp::Mad24Low),
            "clmad" => part(IntegerOp::ClmadLow, IntegerOp::ClmadHigh, IntegerOp::ClmadLow),
            "sad" => IntegerOp::Sad,
            "div" => IntegerOp::Div,
            "rem" => IntegerOp::Rem,
            "abs" => IntegerOp::Abs,
            "neg" => IntegerOp::Neg,
            "min" if words.has("relu") => IntegerOp::MinRelu,
            "max" if words.has("relu") => IntegerOp::MaxRelu,
            "min" => IntegerOp::Min,
            "max" => IntegerOp::Max,
            _ => return None,
        };
        Some(Self { op, ty })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self.op {
            IntegerOp::Add => {
                for_integer!(self.ty, N => apply.value(|[a, b, ..]| (a as N).wrapping_add(b as N) as u64))
            }
            IntegerOp::Sub => {
                for_integer!(self.ty, N => apply.value(|[a, b, ..]| (a as N).wrapping_sub(b as N) as u64))
            }
            IntegerOp::MulLow => {
                for_integer!(self.ty, N => apply.value(|[a, b, ..]| (a as N).wrapping_mul(b as N) as u64))
            }
            IntegerOp::MadLow => for_integer!(self.ty, N => apply.value(|[a, b, c, _]| {
                (a as N).wrapping_mul(b as N).wrapping_add(c as N) as u64
            })),
            IntegerOp::Min => for_integer!(self.ty, N => apply.value(|[a, b, ..]| (a as N).min(b as N) as u64)),
            IntegerOp::Max => for_integer!(self.ty, N => apply.value(|[a, b, ..]| (a as N).max(b as N) as u64)),
            IntegerOp::MulWide => self.apply_wide(apply, 0),
            IntegerOp::MadWide => self.apply_wide(apply, u64::MAX),
            IntegerOp::Abs | IntegerOp::Neg => self.apply_sign(apply),
            _ => self.apply_rare(apply),
        }
    }

    /// The whole product, plus the third source under `addend`.
    fn apply_wide<A: Apply>(self, apply: A, addend: u64) -> A::Output {
        match self.ty {
            IntegerType::U16 => apply.value(move |[a, b, c, _]| {
                u64::from((u32::from(a as u16) * u32::from(b as u16)).wrapping_add((c & addend) as u32))
            }),
            IntegerType::S16 => apply.value(move |[a, b, c, _]| {
                (i32::from(a as i16) * i32::from(b as i16)).wrapping_add((c & addend) as i32) as u64
            }),
            IntegerType::S32 => apply.value(move |[a, b, c, _]| {
                (i64::from(a as i32) * i64::from(b as i32)).wrapping_add((c & addend) as i64) as u64
            }),
            _ => apply.value(move |[a, b, c, _]| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c & addend)),
        }
    }

    fn apply_sign<A: Apply>(self, apply: A) -> A::Output {
        let ty = match self.ty {
            IntegerType::U16 => IntegerType::S16,
            IntegerType::U32 => IntegerType::S32,
            IntegerType::U64 => IntegerType::S64,
            signed => signed,
        };
        let negates = self.op == IntegerOp::Neg;
        match ty {
            IntegerType::S16 => apply.value(move |[a, ..]| sign16(a as i16, negates) as u64),
            IntegerType::S32 => {
                apply.value(
                    move |[a, ..]| {
                        if negates || (a as i32) < 0 { (a as i32).wrapping_neg() as u64 } else { a as i32 as u64 }
                    },
                )
            }
            _ => {
                apply.value(move |[a, ..]| if negates || (a as i64) < 0 { (a as i64).wrapping_neg() as u64 } else { a })
            }
        }
    }

    fn apply_rare<A: Apply>(self, apply: A) -> A::Output {
        let op = self.op;
        match self.op {
            IntegerOp::Div | IntegerOp::Rem => {
                for_integer!(self.ty, N => apply.value(move |[a, b, ..]| divide(a as N as i128, b as N as i128, op)
                    as N as u64))
            }
            IntegerOp::ClmadLow | IntegerOp::ClmadHigh => apply.value(move |sources| carryless(sources, op)),
            IntegerOp::Mul24Low
            | IntegerOp::Mul24High
            | IntegerOp::Mad24Low
            | IntegerOp::Mad24High
            | IntegerOp::Mad24HighSaturating => {
                let signed = self.ty == IntegerType::S32;
                apply.value(move |sources| product24(sources, op, signed))
            }
            _ => for_integer!(self.ty, N => apply.value(move |[a, b, c, _]| {
                let limits = (N::MIN as i128, N::MAX as i128);
                rare(op, [a as N as i128, b as N as i128, c as N as i128], N::BITS, limits) as N as u64
            })),
        }
    }
}

fn sign16(a: i16, negates: bool) -> i16 {
    if negates || a < 0 { a.wrapping_neg() } else { a }
}

/// Operations on exact integers; the caller truncates the result.
#[inline]
fn rare(op: IntegerOp, [a, b, c]: [i128; 3], width: u32, (smallest, largest): (i128, i128)) -> i128 {
    match op {
        IntegerOp::AddSaturating => (a + b).clamp(smallest, largest),
        IntegerOp::SubSaturating => (a - b).clamp(smallest, largest),
        IntegerOp::MulHigh => high_part(a, b, width),
        IntegerOp::MadHigh => high_part(a, b, width) + c,
        IntegerOp::MadHighSaturating => (high_part(a, b, width) + c).clamp(smallest, largest),
        IntegerOp::Sad => c + (a - b).abs(),
        IntegerOp::MinRelu => a.min(b).max(0),
        _ => a.max(b).max(0),
    }
}

/// The upper half of a product; that of two unsigned 64-bit integers does not fit into `i128`, but its bits do.
#[inline]
pub(super) const fn high_part(a: i128, b: i128, width: u32) -> i128 {
    a.wrapping_mul(b) >> width
}

/// Quotient and remainder; both are all ones for a divisor of zero.
#[inline]
fn divide(a: i128, b: i128, op: IntegerOp) -> i128 {
    match (op, b) {
        (_, 0) => -1,
        (IntegerOp::Div, _) => a / b,
        _ => a % b,
    }
}

fn product24([a, b, c, _]: Sources, op: IntegerOp, signed: bool) -> u64 {
    let extend = |bits: u64| if signed { i64::from((bits as i32) << 8 >> 8) } else { (bits & 0x00ff_ffff) as i64 };
    let product = extend(a) * extend(b);
    let (low, high) = (product as i32, (product >> 16) as i32);
    let c = c as i32;
    let result = match op {
        IntegerOp::Mul24Low => low,
        IntegerOp::Mul24High => high,
        IntegerOp::Mad24Low => low.wrapping_add(c),
        IntegerOp::Mad24High => high.wrapping_add(c),
        _ => high.saturating_add(c),
    };
    if signed { result as u64 } else { u64::from(result as u32) }
}

fn carryless([a, b, c, _]: Sources, op: IntegerOp) -> u64 {
    let product = (0..64).filter(|bit| b >> bit & 1 != 0).fold(0, |sum, bit| sum ^ u128::from(a) << bit);
    c ^ if op == IntegerOp::ClmadHigh { (product >> 64) as u64 } else { product as u64 }
}

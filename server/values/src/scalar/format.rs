//! Floating-point formats: decoding, and rounding exact numbers to them.

/// A rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest number, ties to even.
    Nearest,
    /// To the nearest number, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

impl Rounding {
    /// Whether the magnitude is rounded up: `kept` is the truncated magnitude, the rest is compared with a half.
    pub(super) const fn rounds_up(self, negative: bool, odd: bool, rest: std::cmp::Ordering, exact: bool) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match (self, rest) {
            (Self::Nearest, Equal) => odd,
            (Self::Nearest | Self::NearestAway, Greater) | (Self::NearestAway, Equal) => true,
            (Self::Nearest | Self::NearestAway, Less) | (Self::Zero, _) => false,
            (Self::Down, _) => negative && !exact,
            (Self::Up, _) => !negative && !exact,
        }
    }
}

/// A number without its class: `significand * 2^exponent`. If it is inexact, the lowest bit of the significand is set
/// and at least two more bits than the target format has are above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FiniteNumber {
    /// Whether the number is negative.
    pub negative: bool,
    /// The exponent of the lowest bit.
    pub exponent: i32,
    /// The magnitude's bits; 0 for a zero.
    pub significand: u64,
}

/// A decoded number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodedFloat {
    /// Not a number.
    Nan,
    /// An infinity; the field is its sign.
    Infinite(bool),
    /// A finite number, zero included.
    Finite(FiniteNumber),
}

/// What the largest exponent of a format means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Specials {
    /// Infinities and NaNs.
    Ieee,
    /// Numbers, but for the NaN with all bits set.
    OneNan,
    /// Numbers only.
    Numbers,
}

/// A binary floating-point format of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    exponent_bits: u32,
    fraction_bits: u32,
    /// Unused bits below the fraction.
    padding: u32,
    specials: Specials,
}

impl FloatFormat {
    /// IEEE binary16.
    pub const F16: Self = Self::new(5, 10, Specials::Ieee);
    /// The upper half of binary32.
    pub const BF16: Self = Self::new(8, 7, Specials::Ieee);
    /// Binary32 with 10 bits of fraction; the lower 13 bits are unused.
    pub const TF32: Self = Self { padding: 13, ..Self::new(8, 10, Specials::Ieee) };
    /// IEEE binary32.
    pub const F32: Self = Self::new(8, 23, Specials::Ieee);
    /// IEEE binary64.
    pub const F64: Self = Self::new(11, 52, Specials::Ieee);
    /// 4 exponent and 3 fraction bits.
    pub const E4M3: Self = Self::new(4, 3, Specials::OneNan);
    /// 5 exponent and 2 fraction bits.
    pub const E5M2: Self = Self::new(5, 2, Specials::Ieee);
    /// 2 exponent bits and 1 fraction bit.
    pub const E2M1: Self = Self::new(2, 1, Specials::Numbers);
    /// 2 exponent and 3 fraction bits.
    pub const E2M3: Self = Self::new(2, 3, Specials::Numbers);
    /// 3 exponent and 2 fraction bits.
    pub const E3M2: Self = Self::new(3, 2, Specials::Numbers);

    const fn new(exponent_bits: u32, fraction_bits: u32, specials: Specials) -> Self {
        Self { exponent_bits, fraction_bits, padding: 0, specials }
    }

    /// The format of a PTX type.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "f16" => Self::F16,
            "bf16" => Self::BF16,
            "tf32" => Self::TF32,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "e4m3" => Self::E4M3,
            "e5m2" => Self::E5M2,
            "e2m1" => Self::E2M1,
            "e2m3" => Self::E2M3,
            "e3m2" => Self::E3M2,
            _ => return None,
        })
    }

    /// The width in bits.
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits + self.padding
    }

    /// The width of one of several numbers in a register: those of six bits are padded to a byte.
    pub const fn packed_bits(self) -> u32 {
        match self.bits() {
            6 => 8,
            bits => bits,
        }
    }

    /// The bits of the fraction.
    pub(crate) const fn fraction_bits(self) -> u32 {
        self.fraction_bits
    }

    /// The unused bits below the fraction.
    pub(crate) const fn padding(self) -> u32 {
        self.padding
    }

    /// The exponent of a normal number, but for those with the greatest exponent, which some formats use otherwise.
    #[inline]
    pub(crate) const fn normal_exponent(self, bits: u64) -> Option<i32> {
        let field = (bits >> (self.fraction_bits + self.padding)) as i32 & ((1 << self.exponent_bits) - 1);
        if field == 0 || field == (1 << self.exponent_bits) - 1 { None } else { Some(field - self.bias()) }
    }

    /// The sign bit.
    pub(super) const fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// The smallest normal number.
    pub(super) const fn smallest_normal(self) -> u64 {
        1 << (self.fraction_bits + self.padding)
    }

    /// Infinity, or the first magnitude beyond the numbers.
    pub(super) const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << (self.fraction_bits + self.padding)
    }

    /// The largest number.
    pub(super) const fn largest(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.infinity() - (1 << self.padding),
            Specials::OneNan => self.sign() - 2,
            Specials::Numbers => self.sign() - 1,
        }
    }

    /// The NaN of arithmetic on formats of up to 32 bits: all bits but the sign. [`Self::F64`] has its own rules.
    pub(super) const fn nan(self) -> u64 {
        self.sign() - (1 << self.padding)
    }

    /// The number 1.
    pub(super) const fn one(self) -> u64 {
        (self.bias() as u64) << (self.fraction_bits + self.padding)
    }

    /// The quiet NaN with sign and payload of a NaN of another format.
    pub(super) const fn nan_with_payload(self, from: Self, bits: u64) -> u64 {
        let payload = bits & ((1 << from.fraction_bits) - 1);
        let payload = payload << (63 - from.fraction_bits) >> (63 - self.fraction_bits);
        let sign = if bits & from.sign() != 0 { self.sign() } else { 0 };
        sign | self.infinity() | 1 << (self.fraction_bits - 1) | payload
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Whether the bits are a NaN.
    pub(super) const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        match self.specials {
            Specials::Ieee => magnitude > self.infinity(),
            Specials::OneNan => magnitude == self.nan(),
            Specials::Numbers => false,
        }
    }

    /// Zero of the same sign for a subnormal number, else the bits themselves.
    #[inline]
    pub(super) const fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// The number that the bits mean; bits above the width are ignored.
    pub(crate) fn decode(self, bits: u64) -> DecodedFloat {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        if self.is_nan(bits) {
            return DecodedFloat::Nan;
        }
        if self.specials == Specials::Ieee && magnitude == self.infinity() {
            return DecodedFloat::Infinite(negative);
        }
        let fraction_bits = self.fraction_bits + self.padding;
        let hidden = 1 << fraction_bits;
        let exponent = (magnitude >> fraction_bits) as i32;
        let significand = magnitude & (hidden - 1) | if exponent > 0 { hidden } else { 0 };
        let exponent = exponent.max(1) - self.bias() - fraction_bits as i32;
        DecodedFloat::Finite(FiniteNumber { negative, exponent, significand })
    }

    /// The bits of a number, rounded once. What is too large becomes infinity or, by the rounding or for want of an
    /// infinity, the largest number.
    pub(crate) fn round(self, number: FiniteNumber, rounding: Rounding) -> u64 {
        let FiniteNumber { negative, exponent, significand } = number;
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        let leading = significand.leading_zeros();
        let significand = significand << leading;
        let exponent = exponent + 63 - leading as i32;
        let smallest = 1 - self.bias();
        let shift = 63 - self.fraction_bits + (smallest - exponent).clamp(0, 100) as u32;
        let (kept, rest, half) = match shift {
            0..64 => (significand >> shift, significand & ((1 << shift) - 1), 1_u64 << (shift - 1)),
            64 => (0, significand, 1 << 63),
            _ => (0, 1, 2),
        };
        let up = rounding.rounds_up(negative, kept & 1 != 0, rest.cmp(&half), rest == 0);
        let below = i64::from((exponent.max(smallest) + self.bias() - 1).min(1 << self.exponent_bits));
        let magnitude = ((below as u64) << self.fraction_bits) + kept + u64::from(up);
        let magnitude = magnitude << self.padding;
        if magnitude <= self.largest() { sign | magnitude } else { self.overflow(negative, rounding) }
    }

    /// The result for a number beyond the largest.
    pub(crate) const fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        let sign = if negative { self.sign() } else { 0 };
        let infinite = match rounding {
            Rounding::Nearest | Rounding::NearestAway => true,
            Rounding::Zero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        let infinity = if matches!(self.specials, Specials::Ieee) { self.infinity() } else { self.largest() };
        sign | if infinite { infinity } else { self.largest() }
    }

    /// The bits of a binary64 number rounded to this format of at most 32 bits; a NaN becomes [`Self::nan`].
    #[inline]
    pub(crate) fn encode(self, number: f64, rounding: Rounding) -> u64 {
        let magnitude = number.to_bits() & !(1 << 63);
        let exponent = (magnitude >> 52) as i32 - 1023;
        let is_normal = exponent > -self.bias() && exponent < self.bias();
        if !is_normal || rounding != Rounding::Nearest {
            return self.encode_any(number, rounding);
        }
        let shift = 52 - self.fraction_bits;
        let rounded = (magnitude + (1 << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
        let rebased = rounded - (((1023 - self.bias()) as u64) << self.fraction_bits);
        let sign = number.to_bits() >> 63 << (self.bits() - 1);
        sign | rebased << self.padding
    }

    fn encode_any(self, number: f64, rounding: Rounding) -> u64 {
        match Self::F64.decode(number.to_bits()) {
            DecodedFloat::Nan => self.nan(),
            DecodedFloat::Infinite(negative) => self.overflow(negative, Rounding::Nearest),
            DecodedFloat::Finite(finite) => self.round(finite, rounding),
        }
    }

    /// As [`Self::encode`], but zero for every number that is below the smallest normal one after it was rounded to the
    /// precision of a normal number.
    pub(super) fn encode_flushed(self, number: f64, rounding: Rounding) -> u64 {
        let tiny = number.abs() < power_of_two(1 - self.bias()) && {
            let doubled = self.encode(number * 2.0, rounding) & (self.sign() - 1);
            doubled < 2 * self.smallest_normal()
        };
        if tiny { u64::from(number.is_sign_negative()) * self.sign() } else { self.encode(number, rounding) }
    }

    /// The exact number as binary64; a NaN stays one.
    #[inline]
    pub fn to_f64(self, bits: u64) -> f64 {
        if self == Self::F32 {
            return f32::from_bits(bits as u32).into();
        }
        if self == Self::BF16 {
            return f32::from_bits((bits as u32) << 16).into();
        }
        if self == Self::F16 {
            return f16_to_f64(bits as u16);
        }
        match self.decode(bits) {
            DecodedFloat::Nan => f64::NAN,
            DecodedFloat::Infinite(negative) => {
                if negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }
            }
            DecodedFloat::Finite(number) => {
                // At most 53 bits, and at least 2^-149 in the formats below binary64: both steps are exact.
                let magnitude = number.significand as f64 * power_of_two(number.exponent);
                if number.negative { -magnitude } else { magnitude }
            }
        }
    }
}

/// The number that the bits of binary16 mean: they are those of binary32 but for their place and the bias.
#[inline]
fn f16_to_f64(bits: u16) -> f64 {
    let magnitude = u32::from(bits & 0x7fff);
    let sign = u32::from(bits >> 15) << 31;
    let wide = f32::from_bits(sign | magnitude << 13);
    let is_special = magnitude >= 0x7c00;
    let factor = if is_special { f64::INFINITY } else { power_of_two(112) };
    if magnitude > 0x7c00 { f64::NAN } else { f64::from(wide) * factor }
}

/// A power of two in the range of normal binary64 numbers.
pub(crate) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

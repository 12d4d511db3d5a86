//! Conversions to and from pairs of `ue8m0`: powers of two without a sign, as the biased exponents of binary32.

use crate::scalar::format::{FloatFormat, Rounding};
use crate::scalar::lanes::Apply;
use crate::scalar::types::{ScalarType, Words};

/// The NaN of a scale.
const NAN: u64 = 0xff;
/// The fraction of binary32 that is half of the smallest normal number, the power of two of scale 0.
const HALF_OF_NORMAL: u64 = 1 << 22;

/// A conversion of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) enum ScaleConversion {
    /// From two numbers in binary32 or from a pair of `bf16`.
    ToScales { packed: bool, rounding: Rounding, saturates: bool },
    /// To a pair of `bf16`.
    FromScales,
}

impl ScaleConversion {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        let pair = ScalarType::FloatVector(FloatFormat::BF16, 2);
        let packed = match (to, from) {
            (ScalarType::ScalePair, ScalarType::Float(FloatFormat::F32)) => false,
            (ScalarType::ScalePair, from) if from == pair => true,
            (to, ScalarType::ScalePair) if to == pair => return Some(Self::FromScales),
            _ => return None,
        };
        let rounding = words.rounding().filter(|rounding| matches!(rounding, Rounding::Zero | Rounding::Up))?;
        Some(Self::ToScales { packed, rounding, saturates: words.has("satfinite") })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self {
            Self::ToScales { packed, rounding, saturates } => apply.value(move |[a, b, ..]| {
                // Of two sources the first becomes the upper scale. A `bf16` is the upper half of binary32.
                let (low, high) = if packed { (a << 16, a) } else { (b, a) };
                scale(high, rounding, saturates) << 8 | scale(low, rounding, saturates)
            }),
            Self::FromScales => apply.value(|[a, ..]| number(a >> 8) << 16 | number(a)),
        }
    }
}

/// The scale of a number in binary32, whose sign is ignored.
fn scale(bits: u64, rounding: Rounding, saturates: bool) -> u64 {
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x007f_ffff);
    let is_between = match exponent {
        0 => fraction > HALF_OF_NORMAL,
        NAN if fraction != 0 => return NAN,
        NAN => false,
        _ => fraction != 0,
    };
    let scale = exponent + u64::from(is_between && rounding == Rounding::Up);
    if saturates { scale.min(NAN - 1) } else { scale }
}

/// The `bf16` of a scale.
const fn number(scale: u64) -> u64 {
    match scale & 0xff {
        NAN => 0x7fff,
        0 => 0x0040,
        exponent => exponent << 7,
    }
}

#[cfg(test)]
mod tests {
    use crate::scalar::ScalarOperation;

    fn convert(modifiers: &[&str], sources: [u64; 4]) -> u64 {
        ScalarOperation::new("cvt", modifiers).expect("an operation").compute(sources, false).value
    }

    fn bits(number: f32) -> u64 {
        number.to_bits().into()
    }

    #[test]
    fn scales_are_exponents() {
        let down = |a: f32, b: f32| convert(&["rz", "satfinite", "ue8m0x2", "f32"], [bits(a), bits(b), 0, 0]);
        let up = |a: f32, b: f32| convert(&["rp", "satfinite", "ue8m0x2", "f32"], [bits(a), bits(b), 0, 0]);
        assert_eq!((down(1.0, -3.5), up(1.0, -3.5)), (0x7f80, 0x7f81));
        assert_eq!((down(f32::INFINITY, f32::NAN), up(f32::MAX, 0.0)), (0xfeff, 0xfe00));
        assert_eq!(up(f32::from_bits(1 << 22), f32::from_bits(1 << 22 | 1)), 0x0001);
        assert_eq!(convert(&["rp", "ue8m0x2", "bf16x2"], [0x3f81_4000, 0, 0, 0]), 0x8080);
        assert_eq!(convert(&["rn", "bf16x2", "ue8m0x2"], [0x7f80, 0, 0, 0]), 0x3f80_4000);
        assert_eq!(convert(&["rn", "bf16x2", "ue8m0x2"], [0xff00, 0, 0, 0]), 0x7fff_0040);
    }

    #[test]
    fn numbers_of_six_bits_are_padded_to_eight() {
        let pair = convert(&["rn", "satfinite", "e2m3x2", "f32"], [bits(1.5), bits(-3.25), 0, 0]);
        assert_eq!(pair, 0x0c35);
        assert_eq!(convert(&["rn", "f16x2", "e2m3x2"], [pair, 0, 0, 0]), 0x3e00_c280);
        let pair = convert(&["rn", "satfinite", "e3m2x2", "f32"], [bits(1.5), bits(-28.0), 0, 0]);
        assert_eq!(pair, 0x0e3f);
    }
}

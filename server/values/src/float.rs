//! The floating-point formats of 8 and 16 bits: decoding, and rounding to them.
//!
//! Sums are computed in binary32 and rounded again to the small format. That is exact: the second rounding cannot
//! differ from a single one as long as the wide significand has at least twice the bits of the narrow one and two
//! more, and 24 >= 2 * 11 + 2 holds for the widest of them. Tests compare this with an integer-only adder.

/// A format of 8 or 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallFloat {
    /// IEEE binary16: 5 exponent and 10 fraction bits.
    F16,
    /// The upper half of binary32: 8 exponent and 7 fraction bits.
    Bf16,
    /// 4 exponent and 3 fraction bits, no infinity; all ones is NaN, so the largest number is 448.
    E4m3,
    /// 5 exponent and 2 fraction bits, with infinity; the largest number is 57344.
    E5m2,
}

impl SmallFloat {
    /// The width in bits: 8 or 16.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::E4m3 | Self::E5m2 => 8,
        }
    }

    /// The PTX name of the scalar type, without a dot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
        }
    }

    /// Explicit bits of the significand.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::E4m3 => 3,
            Self::E5m2 => 2,
        }
    }

    /// The exponent bias.
    pub const fn bias(self) -> i32 {
        match self {
            Self::F16 | Self::E5m2 => 15,
            Self::Bf16 => 127,
            Self::E4m3 => 7,
        }
    }

    /// The sign bit.
    pub const fn sign(self) -> u16 {
        1 << (self.bits() - 1)
    }

    /// The bits of the largest finite magnitude.
    pub const fn largest(self) -> u16 {
        match self {
            Self::F16 => 0x7bff,
            Self::Bf16 => 0x7f7f,
            Self::E4m3 => 0x7e,
            Self::E5m2 => 0x7b,
        }
    }

    /// The bits of positive infinity, for the formats that have one.
    pub const fn infinity(self) -> Option<u16> {
        match self {
            Self::F16 => Some(0x7c00),
            Self::Bf16 => Some(0x7f80),
            Self::E4m3 => None,
            Self::E5m2 => Some(0x7c),
        }
    }

    /// The NaN that arithmetic returns: all bits except the sign (measured for f16 and bf16).
    pub const fn nan(self) -> u16 {
        self.sign() - 1
    }

    /// Whether the bits are a NaN.
    pub const fn is_nan(self, bits: u16) -> bool {
        let magnitude = bits & self.nan();
        match self.infinity() {
            Some(infinity) => magnitude > infinity,
            None => magnitude > self.largest(),
        }
    }

    /// The exact number as binary32.
    pub fn decode(self, bits: u16) -> f32 {
        if let Self::Bf16 = self {
            return f32::from_bits(u32::from(bits) << 16);
        }
        let magnitude = u32::from(bits & self.nan());
        let sign = u32::from(bits & self.sign()) << (32 - self.bits());
        let wide = if self.is_nan(bits) {
            0x7fff_ffff
        } else if self.infinity().is_some_and(|infinity| u32::from(infinity) == magnitude) {
            0x7f80_0000
        } else {
            // As binary32, the shifted bits are off by the difference of the biases. The product with that power
            // of two is exact, for subnormals too, since the fraction is shorter.
            let shifted = f32::from_bits(magnitude << (23 - self.fraction_bits()));
            (shifted * f32::from_bits(((254 - self.bias()) as u32) << 23)).to_bits()
        };
        f32::from_bits(sign | wide)
    }

    /// The nearest number of this format, ties to even; NaN becomes [`Format::nan`].
    ///
    /// Larger numbers become infinity in f16 and bf16. In e4m3 and e5m2 a finite number that is too
    /// large becomes the largest one, as PTX's only conversion to them (`.satfinite`) does; not measured.
    pub fn encode(self, number: f32) -> u16 {
        let sign = ((number.to_bits() >> 31) as u16) << (self.bits() - 1);
        let wide = number.to_bits() & 0x7fff_ffff;
        if wide > 0x7f80_0000 {
            return self.nan();
        }
        if wide == 0x7f80_0000 {
            return sign | self.infinity().unwrap_or(self.largest());
        }
        let magnitude = self.round(wide);
        if magnitude <= u32::from(self.largest()) {
            return sign | magnitude as u16;
        }
        sign | match self {
            Self::F16 => 0x7c00,
            Self::Bf16 => 0x7f80,
            Self::E4m3 | Self::E5m2 => self.largest(),
        }
    }

    /// The rounded magnitude of a finite binary32 magnitude, as if the exponent had no upper end.
    fn round(self, wide: u32) -> u32 {
        let cut = 23 - self.fraction_bits();
        if let Self::Bf16 = self {
            return (wide + 0x7fff + (wide >> cut & 1)) >> cut;
        }
        let exponent = (wide >> 23) as i32 - 127;
        let smallest = 1 - self.bias();
        let lost = (smallest - exponent).max(0) as u32;
        let shift = cut + lost;
        if shift > 25 {
            return 0;
        }
        let significand = wide & 0x007f_ffff | 0x0080_0000;
        let kept = (significand + (1 << (shift - 1)) - 1 + (significand >> shift & 1)) >> shift;
        // The hidden bit of `kept` adds one to the exponent, and so does a carry out of the rounding.
        let below = (exponent.max(smallest) + self.bias() - 1) as u32;
        (below << self.fraction_bits()) + kept
    }

    /// The sum with one rounding to nearest even, subnormals kept; every NaN becomes [`Format::nan`].
    pub fn add(self, a: u16, b: u16) -> u16 {
        self.encode(self.decode(a) + self.decode(b))
    }

    /// The smaller of two: a single NaN loses to the number, two give [`Format::nan`], and -0 is below +0.
    pub const fn min(self, a: u16, b: u16) -> u16 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => self.nan(),
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                if self.order(b) < self.order(a) {
                    b
                } else {
                    a
                }
            }
        }
    }

    /// The larger of two, by the rules of [`Format::min`].
    pub const fn max(self, a: u16, b: u16) -> u16 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => self.nan(),
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                if self.order(b) > self.order(a) {
                    b
                } else {
                    a
                }
            }
        }
    }

    /// An integer with the order of the numbers, and -0 below +0.
    const fn order(self, bits: u16) -> i32 {
        let magnitude = (bits & self.nan()) as i32;
        if bits & self.sign() == 0 { magnitude } else { -1 - magnitude }
    }
}

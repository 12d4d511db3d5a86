//! The operands of video instructions that are parts of registers.

/// A source of a video instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VideoSource {
    /// The selector after the register, without its dot: `b0`, `h1`, `h32`, `b7610`, or empty.
    pub selector: String,
    /// Whether the source is written with a minus.
    pub negated: bool,
}

/// The operands of a video instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VideoOperands {
    /// The selector or mask of the destination, without its dot, or empty.
    pub destination: String,
    /// The sources.
    pub sources: [VideoSource; 3],
}

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegisterPart {
    pub(super) shift: u32,
    pub(super) width: u32,
}

impl RegisterPart {
    pub(super) const WORD: Self = Self { shift: 0, width: 32 };

    /// The part that a selector such as `b2` names; the whole register without one.
    pub(super) fn parse(selector: &str) -> Self {
        let index = selector.get(1..).and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
        match selector.get(..1) {
            Some("b") => Self { shift: (index & 3) * 8, width: 8 },
            Some("h") => Self { shift: (index & 1) * 16, width: 16 },
            _ => Self::WORD,
        }
    }

    /// The part of a register as a number.
    pub(super) const fn number(self, bits: u64, signed: bool) -> i64 {
        let top = (bits as u32 >> self.shift << (32 - self.width)) as i32;
        let shift = 32 - self.width;
        if signed { (top >> shift) as i64 } else { (top as u32 >> shift) as i64 }
    }

    /// The part's bits in a register.
    pub(super) const fn mask(self) -> u32 {
        u32::MAX >> (32 - self.width) << self.shift
    }
}

//! `.sz`: the width of a value and the meaning of its bits.

use crate::types::Type;

/// One spelling of `.sz`.
#[derive(Debug, PartialEq, Eq)]
pub struct SassSize {
    /// The words, without the dot before them; empty where a disassembler writes nothing.
    pub name: &'static str,
    /// The element.
    pub ty: Type,
    /// How many registers of elements.
    pub lanes: u8,
    /// Whether subnormal numbers are kept.
    pub noftz: bool,
}

impl SassSize {
    /// The width of a value in bits.
    pub const fn bits(&self) -> u32 {
        self.ty.bits() * self.lanes as u32
    }

    /// Its name with the dot, or the text shown if none is written.
    pub fn shown(&self) -> String {
        if self.name.is_empty() { "no size (32-bit unsigned)".to_owned() } else { format!("`.{}`", self.name) }
    }
}

const fn size(name: &'static str, ty: Type, lanes: u8) -> SassSize {
    SassSize { name, ty, lanes, noftz: false }
}

const fn kept(name: &'static str, ty: Type, lanes: u8) -> SassSize {
    SassSize { name, ty, lanes, noftz: true }
}

/// Every spelling.
pub static SIZES: &[SassSize] = &[
    size("", Type::U32, 1),
    size("U32", Type::U32, 1),
    size("32", Type::U32, 1),
    size("S32", Type::S32, 1),
    size("U64", Type::U64, 1),
    size("64", Type::U64, 1),
    size("S64", Type::S64, 1),
    size("128", Type::B128, 1),
    size("F32.FTZ.RN", Type::F32, 1),
    kept("F32.RN", Type::F32, 1),
    size("F32x2.FTZ.RN", Type::F32, 2),
    kept("F32x2.RN", Type::F32, 2),
    size("F32x4.FTZ.RN", Type::F32, 4),
    kept("F32x4.RN", Type::F32, 4),
    kept("F64.RN", Type::F64, 1),
    kept("F16x2.RN", Type::F16x2, 1),
    kept("F16x4.RN", Type::F16x2, 2),
    kept("F16x8.RN", Type::F16x2, 4),
    kept("BF16x2.RN", Type::Bf16x2, 1),
    kept("BF16x4.RN", Type::Bf16x2, 2),
    kept("BF16x8.RN", Type::Bf16x2, 4),
    kept("E4M3x4.RN", Type::E4m3x4, 1),
    kept("E4M3x8.RN", Type::E4m3x4, 2),
    kept("E4M3x16.RN", Type::E4m3x4, 4),
    kept("E5M2x4.RN", Type::E5m2x4, 1),
    kept("E5M2x8.RN", Type::E5m2x4, 2),
    kept("E5M2x16.RN", Type::E5m2x4, 4),
];

/// Words that look like a size and are not: a part of one, or a heading that the reference itself corrects.
pub static ALMOST: &[&str] =
    &["F16x2.FTZ.RN", "F64.FTZ.RN", "F32.FTZ", "F32", "F64", "F16x2", "F16", "BF16x2", "B32", "B64"];

/// The size of a name.
pub fn size_of(name: &str) -> Option<&'static SassSize> {
    SIZES.iter().find(|size| size.name == name)
}

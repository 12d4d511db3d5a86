//! The sizes and alignments of declared types.

use crate::declaration::Declaration;
use crate::item_head::DeclaredType;
use crate::lexer::Number;

/// The width of a type of declarations with its dot, in bits; `None` for another word.
pub fn type_bits(ty: &str) -> Option<u32> {
    Some(match ty {
        ".b8" | ".u8" | ".s8" => 8,
        ".b16" | ".u16" | ".s16" | ".f16" => 16,
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" => 32,
        ".b64" | ".u64" | ".s64" | ".f64" => 64,
        ".b128" => 128,
        _ => return instruction_type(ty).map(|(bits, _)| bits),
    })
}

/// What can be declared of a type that only instructions use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionTypeDeclaration {
    /// Arrays of memory alone.
    Arrays,
    /// Registers and variables too.
    Scalars,
}

/// The width in bits of a type that only instructions use, with its dot, and what the assembler still lets a module declare of
/// it, in every version (`tests/evidence/directives`, group `instruction_types`). `None` for other types.
pub fn instruction_type(ty: &str) -> Option<(u32, InstructionTypeDeclaration)> {
    use InstructionTypeDeclaration::{Arrays, Scalars};
    Some(match ty {
        ".e4m3" | ".e5m2" | ".e2m1x2" => (8, Arrays),
        ".e4m3x2" | ".e5m2x2" | ".e2m3x2" | ".e3m2x2" | ".ue8m0x2" | ".s2f6x2" => (16, Arrays),
        ".e4m3x4" | ".e5m2x4" | ".u16x2" | ".s16x2" => (32, Arrays),
        ".f32x2" => (64, Arrays),
        ".e2m1x4" => (16, Scalars),
        ".e2m3x4" | ".e3m2x4" | ".ue8m0x4" => (32, Scalars),
        _ => return None,
    })
}

/// The number of elements of a vector, `.v2` or `.v4`; 1 for no vector.
pub fn lanes(vector: &str) -> u64 {
    vector.strip_prefix(".v").and_then(|lanes| lanes.parse().ok()).unwrap_or(1)
}

/// The alignment of something with a natural alignment, in bytes: the written one, but at least the natural one.
pub fn alignment(written: Option<u64>, natural: u64) -> u64 {
    written.unwrap_or(natural).max(natural)
}

fn element_bytes(ty: &str, vector: &str) -> Option<u64> {
    Some(u64::from(type_bits(ty)? / 8) * lanes(vector))
}

impl Declaration<'_> {
    /// The size of one element, a scalar or a vector, in bytes.
    pub fn element_bytes(&self) -> Option<u64> {
        element_bytes(&self.ty.text, &self.vector.text)
    }

    /// The size in bytes; `None` if it is not known.
    pub fn bytes(&self) -> Option<u64> {
        self.element_bytes()?.checked_mul(self.elements?)
    }
}

impl DeclaredType<'_> {
    /// The alignment of a parameter in bytes.
    pub fn alignment(&self) -> u64 {
        let written = self.alignment.as_ref().and_then(|number| Number::integer(&number.text));
        alignment(written, element_bytes(&self.ty.text, &self.vector.text).unwrap_or(1))
    }
}

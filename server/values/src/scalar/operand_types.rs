//! The operands of an instruction: how many sources, and the types of sources and destination.

use crate::scalar::format::FloatFormat;
use crate::scalar::types::{ScalarType, Words};

/// The types of the operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandTypes {
    sources: [ScalarType; 4],
    count: usize,
    pub(super) destination: ScalarType,
}

const B32: ScalarType = ScalarType::Bits(32);
const U32: ScalarType = ScalarType::Unsigned(32);

impl OperandTypes {
    fn new(destination: ScalarType, types: &[ScalarType]) -> Self {
        let mut sources = [ScalarType::Bits(64); 4];
        sources[..types.len()].copy_from_slice(types);
        Self { sources, count: types.len(), destination }
    }

    pub(super) fn sources(&self) -> &[ScalarType] {
        &self.sources[..self.count]
    }

    /// One source more, of the type of the first.
    pub(super) fn add_source(&mut self) {
        self.sources[self.count] = self.sources[0];
        self.count += 1;
    }

    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let ty = *words.types.first()?;
        let last = *words.types.last()?;
        Some(match words.mnemonic {
            "set" => Self::new(ty, &[last, last, ScalarType::Predicate][..compared(words)]),
            "setp" => Self::new(ScalarType::Predicate, &[ty, ty, ScalarType::Predicate][..compared(words)]),
            "slct" => Self::new(ty, &[ty, ty, last]),
            "selp" => Self::new(ty, &[ty, ty, ScalarType::Predicate]),
            "testp" => Self::new(ScalarType::Predicate, &[ty]),
            "shl" | "shr" => Self::new(ty, &[ty, U32]),
            "shf" | "prmt" => Self::new(B32, &[B32; 3]),
            "lop3" if words.has("and") || words.has("or") => Self::new(B32, &[B32, B32, B32, ScalarType::Predicate]),
            "lop3" => Self::new(B32, &[B32; 3]),
            "popc" | "clz" | "bfind" => Self::new(U32, &[ty]),
            "brev" | "not" | "cnot" | "mov" | "cvta" | "abs" | "neg" => Self::new(ty, &[ty]),
            "bfe" => Self::new(ty, &[ty, U32, U32]),
            "bfi" => Self::new(ty, &[ty, ty, U32, U32]),
            "bmsk" => Self::new(B32, &[U32; 2]),
            "szext" => Self::new(ty, &[ty, U32]),
            "fns" => Self::new(B32, &[B32, B32, ScalarType::Signed(32)]),
            "dp4a" | "dp2a" => {
                let signed = words.types.iter().any(|ty| ty.is_signed());
                let sum = if signed { ScalarType::Signed(32) } else { U32 };
                Self::new(sum, &[B32, B32, sum])
            }
            "cvt" => conversion(words)?,
            "mul" if words.has("wide") => Self::new(widened(ty), &[ty; 2]),
            "mad" if words.has("wide") => Self::new(widened(ty), &[ty, ty, widened(ty)]),
            "mad" | "madc" | "mad24" | "clmad" | "sad" => Self::new(ty, &[ty; 3]),
            "fma" => Self::new(ty, &[last, last, ty]),
            "add" | "sub" if matches!(last, ScalarType::Float(_)) => Self::new(ty, &[last, ty]),
            "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => Self::new(ty, &[ty]),
            name if is_video(name) => Self::new(video_destination(words), &[B32; 3]),
            _ => Self::new(ty, &[ty; 2]),
        })
    }
}

/// The number of sources of a comparison.
fn compared(words: &Words<'_>) -> usize {
    if ["and", "or", "xor"].iter().any(|word| words.has(word)) { 3 } else { 2 }
}

/// Whether a mnemonic is that of a video instruction.
pub(super) fn is_video(mnemonic: &str) -> bool {
    let name = mnemonic.trim_end_matches(['2', '4']);
    matches!(name, "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vmad" | "vset" | "vavrg")
}

/// The type of the destination of a video instruction, which comes first.
fn video_destination(words: &Words<'_>) -> ScalarType {
    let compares = words.mnemonic.starts_with("vset");
    words.types.first().filter(|_| !compares).copied().unwrap_or(U32)
}

const fn widened(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::Signed(width) => ScalarType::Signed(width * 2),
        other => ScalarType::Unsigned(other.bits() * 2),
    }
}

fn conversion(words: &Words<'_>) -> Option<OperandTypes> {
    if words.has("pack") {
        let from = *words.types.get(1)?;
        return Some(OperandTypes::new(B32, &[from, from, B32][..words.types.len()]));
    }
    let &[to, from] = words.types.as_slice() else { return None };
    let f32 = ScalarType::Float(FloatFormat::F32);
    let stochastic = words.has("rs");
    Some(match to {
        // Four numbers are two sources, two numbers in each; the first in the lower half.
        ScalarType::FloatVector(_, 4) => OperandTypes::new(to, &[ScalarType::Bits(64), ScalarType::Bits(64), B32]),
        ScalarType::FloatVector(..) | ScalarType::ScalePair | ScalarType::FixedPair if from == f32 => {
            let extra = if stochastic { B32 } else { ScalarType::Bits(16) };
            let count = if stochastic || words.has("scaled::n2::ue8m0") { 3 } else { 2 };
            OperandTypes::new(to, &[f32, f32, extra][..count])
        }
        _ if words.has("scaled::n2::ue8m0") => OperandTypes::new(to, &[from, ScalarType::Bits(16)]),
        _ => OperandTypes::new(to, &[from]),
    })
}

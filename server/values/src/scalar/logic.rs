//! Logic and shifts.

use crate::scalar::ScalarResult;
use crate::scalar::function::IntegerFunction;
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogicOp {
    And,
    Or,
    Xor,
    Not,
    IsZero,
    ShiftLeft,
    ShiftRight,
    FunnelLeft { wrap: bool },
    FunnelRight { wrap: bool },
    Permute(PermuteMode),
    Move,
    Select,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PermuteMode {
    Bytes,
    Forward,
    Backward,
    Replicate8,
    ClampLeft,
    ClampRight,
    Replicate16,
}

/// A bitwise instruction and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Logic {
    op: LogicOp,
    ty: ScalarType,
}

impl Logic {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let ty = *words.types.first()?;
        let wrap = words.has("wrap");
        let op = match words.mnemonic {
            "and" => LogicOp::And,
            "or" => LogicOp::Or,
            "xor" => LogicOp::Xor,
            "not" => LogicOp::Not,
            "cnot" => LogicOp::IsZero,
            "shl" => LogicOp::ShiftLeft,
            "shr" => LogicOp::ShiftRight,
            "shf" if words.has("l") => LogicOp::FunnelLeft { wrap },
            "shf" => LogicOp::FunnelRight { wrap },
            "prmt" => LogicOp::Permute(
                words
                    .one_of(&[
                        ("f4e", PermuteMode::Forward),
                        ("b4e", PermuteMode::Backward),
                        ("rc8", PermuteMode::Replicate8),
                        ("ecl", PermuteMode::ClampLeft),
                        ("ecr", PermuteMode::ClampRight),
                        ("rc16", PermuteMode::Replicate16),
                    ])
                    .unwrap_or(PermuteMode::Bytes),
            ),
            "mov" | "cvta" => LogicOp::Move,
            "selp" => LogicOp::Select,
            _ => return None,
        };
        Some(Self { op, ty })
    }

    /// See [`crate::scalar::ScalarOperation::integer_function`].
    pub(super) const fn function(self) -> Option<IntegerFunction> {
        Some(match self.op {
            LogicOp::And => IntegerFunction::And,
            LogicOp::Or => IntegerFunction::Or,
            LogicOp::Xor => IntegerFunction::Xor,
            LogicOp::Not => IntegerFunction::Complement,
            LogicOp::ShiftLeft => IntegerFunction::ShiftLeft,
            LogicOp::ShiftRight => IntegerFunction::ShiftRight,
            LogicOp::Move => IntegerFunction::Copy,
            LogicOp::Select => IntegerFunction::Select,
            LogicOp::IsZero | LogicOp::FunnelLeft { .. } | LogicOp::FunnelRight { .. } | LogicOp::Permute(_) => {
                return None;
            }
        })
    }

    /// The first source that says how bits are moved; `None` if the result is no selection or combination of bits.
    pub(super) const fn first_control(self) -> Option<usize> {
        match self.op {
            LogicOp::And | LogicOp::Or | LogicOp::Xor | LogicOp::Not | LogicOp::Move => Some(3),
            LogicOp::ShiftLeft | LogicOp::ShiftRight => Some(1),
            LogicOp::FunnelLeft { .. } | LogicOp::FunnelRight { .. } | LogicOp::Permute(_) | LogicOp::Select => Some(2),
            LogicOp::IsZero => None,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let ty = self.ty;
        let mask = u64::MAX >> (64 - ty.bits());
        match self.op {
            LogicOp::And => apply.value(move |[a, b, ..]| a & b & mask),
            LogicOp::Or => apply.value(move |[a, b, ..]| (a | b) & mask),
            LogicOp::Xor => apply.value(move |[a, b, ..]| (a ^ b) & mask),
            LogicOp::Not => apply.value(move |[a, ..]| !a & mask),
            LogicOp::IsZero => apply.value(move |[a, ..]| u64::from(a & mask == 0)),
            LogicOp::ShiftLeft => self.shift_left(apply),
            LogicOp::ShiftRight => self.shift_right(apply),
            LogicOp::FunnelLeft { wrap } => apply.value(move |[a, b, c, _]| funnel(a, b, c, wrap, true)),
            LogicOp::FunnelRight { wrap } => apply.value(move |[a, b, c, _]| funnel(a, b, c, wrap, false)),
            LogicOp::Permute(mode) => apply.value(move |[a, b, c, _]| permute(a as u32, b as u32, c as u32, mode)),
            LogicOp::Move if ty == ScalarType::Signed(32) => apply.value(|[a, ..]| a as i32 as u64),
            LogicOp::Move => apply.value(move |[a, ..]| ty.extend(a)),
            LogicOp::Select if !ty.is_signed() => {
                apply.value(move |[a, b, c, _]| (if c & 1 != 0 { a } else { b }) & mask)
            }
            LogicOp::Select => apply.value(move |[a, b, c, _]| ty.extend(if c & 1 != 0 { a } else { b })),
        }
    }

    fn shift_left<A: Apply>(self, apply: A) -> A::Output {
        match self.ty.bits() {
            32 => apply.value(|[a, b, ..]| {
                let shifted = (a as u32).wrapping_shl(b as u32);
                u64::from(if (b as u32) < 32 { shifted } else { 0 })
            }),
            width => apply.value(move |[a, b, ..]| {
                let shifted = a.wrapping_shl(b as u32) & (u64::MAX >> (64 - width));
                if (b as u32) < width { shifted } else { 0 }
            }),
        }
    }

    fn shift_right<A: Apply>(self, apply: A) -> A::Output {
        match self.ty {
            ScalarType::Signed(32) => apply.value(|[a, b, ..]| ((a as i32) >> (b as u32).min(31)) as u64),
            ScalarType::Signed(_) => {
                let ty = self.ty;
                apply.value(move |[a, b, ..]| (ty.extend(a) as i64 >> (b as u32).min(63)) as u64)
            }
            ty => {
                let mask = u64::MAX >> (64 - ty.bits());
                apply.value(move |[a, b, ..]| {
                    let shifted = (a & mask).wrapping_shr(b as u32);
                    if (b as u32) < 64 { shifted } else { 0 }
                })
            }
        }
    }
}

#[inline]
fn funnel(a: u64, b: u64, c: u64, wrap: bool, left: bool) -> u64 {
    let count = if wrap { c as u32 & 31 } else { (c as u32).min(32) };
    let pair = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
    if left { (pair << count) >> 32 } else { pair >> count & 0xffff_ffff }
}

fn permute(a: u32, b: u32, c: u32, mode: PermuteMode) -> u64 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let start = (c & 3) as usize;
    let picked = match mode {
        PermuteMode::Bytes => [0, 4, 8, 12].map(|shift| {
            let selector = c >> shift & 15;
            let byte = bytes[(selector & 7) as usize];
            if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
        }),
        PermuteMode::Forward => [0, 1, 2, 3].map(|at| bytes[start + at]),
        PermuteMode::Backward => [8, 7, 6, 5].map(|at| bytes[(start + at) & 7]),
        PermuteMode::Replicate8 => [bytes[start]; 4],
        PermuteMode::ClampLeft => [0, 1, 2, 3].map(|at: usize| bytes[at.max(start)]),
        PermuteMode::ClampRight => [0, 1, 2, 3].map(|at: usize| bytes[at.min(start)]),
        PermuteMode::Replicate16 => [0, 1, 0, 1].map(|at| bytes[(start & 1) * 2 + at]),
    };
    u32::from_le_bytes(picked).into()
}

/// What `lop3` does with the predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combination {
    And,
    Or,
}

/// `lop3`: a function of three bits, given as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TernaryLogic {
    pub(super) table: u8,
    combination: Option<Combination>,
}

impl TernaryLogic {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let combination = words.one_of(&[("and", Combination::And), ("or", Combination::Or)]);
        (words.mnemonic == "lop3").then_some(Self { table: 0, combination })
    }

    pub(super) const fn writes_predicate(self) -> bool {
        self.combination.is_some()
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        // A mask for each entry of the table makes the loop over lanes free of branches.
        let entries: [u32; 8] = std::array::from_fn(|bit| if self.table >> bit & 1 != 0 { u32::MAX } else { 0 });
        let function = move |[a, b, c, _]: Sources| {
            let (a, b, c) = (a as u32, b as u32, c as u32);
            let pick = |low: usize| entries[low] & !c | entries[low + 1] & c;
            let (without, with) = (pick(0) & !b | pick(2) & b, pick(4) & !b | pick(6) & b);
            u64::from(without & !a | with & a)
        };
        match self.combination {
            None => apply.value(function),
            Some(combination) => apply.pair(move |sources, _| {
                let value = function(sources);
                let (set, predicate) = (u64::from(value != 0), sources[3] & 1);
                let second = match combination {
                    Combination::And => set & predicate,
                    Combination::Or => set | predicate,
                };
                ScalarResult { value, second }
            }),
        }
    }
}

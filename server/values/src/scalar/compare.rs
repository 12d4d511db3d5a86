//! Comparisons, and selections by a comparison with zero.

use crate::scalar::ScalarResult;
use crate::scalar::format::FloatFormat;
use crate::scalar::function::{IntegerFunction, OrderedComparison, PredicateLogic};
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};
use std::cmp::Ordering;

/// The results of a comparison for less, equal, greater and unordered operands, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison(u8);

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

impl Comparison {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let ordered = LESS | EQUAL | GREATER;
        words
            .one_of(&[
                ("eq", EQUAL),
                ("ne", LESS | GREATER),
                ("lt", LESS),
                ("le", LESS | EQUAL),
                ("gt", GREATER),
                ("ge", GREATER | EQUAL),
                ("lo", LESS),
                ("ls", LESS | EQUAL),
                ("hi", GREATER),
                ("hs", GREATER | EQUAL),
                ("equ", EQUAL | UNORDERED),
                ("neu", LESS | GREATER | UNORDERED),
                ("ltu", LESS | UNORDERED),
                ("leu", LESS | EQUAL | UNORDERED),
                ("gtu", GREATER | UNORDERED),
                ("geu", GREATER | EQUAL | UNORDERED),
                ("num", ordered),
                ("nan", UNORDERED),
            ])
            .map(Self)
    }

    #[inline]
    pub(super) const fn holds(self, ordering: Option<Ordering>) -> bool {
        let bit = match ordering {
            Some(Ordering::Less) => LESS,
            Some(Ordering::Equal) => EQUAL,
            Some(Ordering::Greater) => GREATER,
            None => UNORDERED,
        };
        self.0 & bit != 0
    }
}

impl PredicateLogic {
    fn of(words: &Words<'_>) -> Self {
        words.one_of(&[("and", Self::And), ("or", Self::Or), ("xor", Self::Xor)]).unwrap_or(Self::None)
    }

    #[inline]
    const fn combine(self, compared: bool, predicate: u64) -> bool {
        let predicate = predicate & 1 != 0;
        match self {
            Self::None => compared,
            Self::And => compared & predicate,
            Self::Or => compared | predicate,
            Self::Xor => compared ^ predicate,
        }
    }
}

/// `setp` and `set`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlagComparison {
    comparison: Comparison,
    combination: PredicateLogic,
    source: ScalarType,
    /// The type of the result of `set`; a predicate for `setp`.
    destination: ScalarType,
    flush: bool,
}

impl FlagComparison {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let (destination, source) = match (words.mnemonic, words.types.as_slice()) {
            ("setp", &[source]) => (ScalarType::Predicate, source),
            ("set", &[destination, source]) => (destination, source),
            _ => return None,
        };
        let comparison = Comparison::of(words)?;
        Some(Self { comparison, combination: PredicateLogic::of(words), source, destination, flush: words.has("ftz") })
    }

    pub(super) const fn destination(self) -> ScalarType {
        self.destination
    }

    /// See [`crate::scalar::ScalarOperation::integer_function`].
    pub(super) fn function(self) -> Option<IntegerFunction> {
        if self.destination != ScalarType::Predicate {
            return None;
        }
        let orders = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        let holds = orders.map(|order| self.comparison.holds(Some(order)));
        Some(IntegerFunction::Compare(OrderedComparison { holds, combination: self.combination }))
    }

    /// Whether a predicate decides the result, whatever is compared.
    pub(super) const fn is_decided_by(self, predicate: u64) -> bool {
        match self.combination {
            PredicateLogic::And => predicate & 1 == 0,
            PredicateLogic::Or => predicate & 1 == 1,
            PredicateLogic::None | PredicateLogic::Xor => false,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self.source {
            ScalarType::Signed(32) => self.combined(apply, |a, b| Some((a as i32).cmp(&(b as i32)))),
            ScalarType::Unsigned(32) | ScalarType::Bits(32) => {
                self.combined(apply, |a, b| Some((a as u32).cmp(&(b as u32))))
            }
            ScalarType::Signed(16) => self.combined(apply, |a, b| Some((a as i16).cmp(&(b as i16)))),
            ScalarType::Unsigned(16) | ScalarType::Bits(16) => {
                self.combined(apply, |a, b| Some((a as u16).cmp(&(b as u16))))
            }
            ScalarType::Signed(_) => self.combined(apply, |a, b| Some((a as i64).cmp(&(b as i64)))),
            ScalarType::Float(format) if format == FloatFormat::F32 && !self.flush => {
                self.combined(apply, |a, b| f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)))
            }
            ScalarType::Float(format) if format == FloatFormat::F64 => {
                self.combined(apply, |a, b| f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
            }
            ScalarType::Float(format) => self.combined(apply, move |a, b| float_order(format, self.flush, a, b)),
            ScalarType::FloatVector(format, _) => self.halves(apply, format),
            _ => self.combined(apply, |a, b| Some(a.cmp(&b))),
        }
    }

    /// One comparison per thread.
    fn combined<A: Apply>(self, apply: A, order: impl Fn(u64, u64) -> Option<Ordering>) -> A::Output {
        let Self { comparison, combination, destination, .. } = self;
        if destination == ScalarType::Predicate {
            return apply.pair(move |[a, b, c, _], _| {
                let compared = comparison.holds(order(a, b));
                let value = combination.combine(compared, c).into();
                ScalarResult { value, second: combination.combine(!compared, c).into() }
            });
        }
        let set = truth(destination);
        apply.value(move |[a, b, c, _]| if combination.combine(comparison.holds(order(a, b)), c) { set } else { 0 })
    }

    /// Two comparisons per thread, of the halves of the sources.
    fn halves<A: Apply>(self, apply: A, format: FloatFormat) -> A::Output {
        let Self { comparison, combination, destination, flush, .. } = self;
        let compared = move |[a, b, c, _]: Sources, shift: u32| {
            let order = float_order(format, flush, a >> shift & 0xffff, b >> shift & 0xffff);
            combination.combine(comparison.holds(order), c)
        };
        if destination == ScalarType::Predicate {
            return apply.pair(move |sources, _| ScalarResult {
                value: compared(sources, 0).into(),
                second: compared(sources, 16).into(),
            });
        }
        let set = match destination {
            ScalarType::FloatVector(format, _) => format.one(),
            _ => 0xffff,
        };
        apply.value(move |sources| {
            let half = |shift| if compared(sources, shift) { set << shift } else { 0 };
            half(0) | half(16)
        })
    }
}

/// The result of `set` where the comparison holds.
const fn truth(destination: ScalarType) -> u64 {
    match destination {
        ScalarType::Float(format) => format.one(),
        ScalarType::Signed(_) => u64::MAX,
        other => u64::MAX >> (64 - other.bits()),
    }
}

#[inline]
fn float_order(format: FloatFormat, flush: bool, a: u64, b: u64) -> Option<Ordering> {
    let through = |bits| format.to_f64(if flush { format.flush(bits) } else { bits });
    through(a).partial_cmp(&through(b))
}

/// `slct`: one of two values, by the sign of a third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SelectBySign {
    destination: ScalarType,
    source: ScalarType,
    flush: bool,
}

impl SelectBySign {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        match (words.mnemonic, words.types.as_slice()) {
            ("slct", &[destination, source]) => Some(Self { destination, source, flush: words.has("ftz") }),
            _ => None,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { destination, source, flush } = self;
        apply.value(move |[a, b, c, _]| {
            let first = match source {
                ScalarType::Float(format) => format.to_f64(if flush { format.flush(c) } else { c }) >= 0.0,
                _ => c as i32 >= 0,
            };
            destination.extend(if first { a } else { b })
        })
    }
}

/// `testp` and `copysign`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FloatClass {
    op: ClassOp,
    format: FloatFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClassOp {
    Finite,
    Infinite,
    Number,
    Nan,
    Normal,
    Subnormal,
    CopySign,
    /// A test without a property, which the assembler accepts.
    Never,
}

impl FloatClass {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let &[ScalarType::Float(format)] = words.types.as_slice() else { return None };
        let op = match words.mnemonic {
            "copysign" => ClassOp::CopySign,
            "testp" => words
                .one_of(&[
                    ("finite", ClassOp::Finite),
                    ("infinite", ClassOp::Infinite),
                    ("number", ClassOp::Number),
                    ("notanumber", ClassOp::Nan),
                    ("normal", ClassOp::Normal),
                    ("subnormal", ClassOp::Subnormal),
                ])
                .unwrap_or(ClassOp::Never),
            _ => return None,
        };
        Some(Self { op, format })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { op, format } = self;
        let (sign, infinity, smallest) = (format.sign(), format.infinity(), format.smallest_normal());
        apply.value(move |[a, b, ..]| {
            let magnitude = a & (sign - 1);
            u64::from(match op {
                ClassOp::Finite => magnitude < infinity,
                ClassOp::Infinite => magnitude == infinity,
                ClassOp::Number => magnitude <= infinity,
                ClassOp::Nan => magnitude > infinity,
                ClassOp::Normal => magnitude == 0 || (smallest..infinity).contains(&magnitude),
                ClassOp::Subnormal => (1..smallest).contains(&magnitude),
                ClassOp::Never => false,
                ClassOp::CopySign => return a & sign | b & (sign - 1),
            })
        })
    }
}

//! Where the value of an address register comes from, followed through moves, additions, conversions and parameters.

use super::{Flow, Step, Value};

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable, by its number in the flow.
    Variable(usize),
    /// The value of a parameter of this function, and the byte of the parameter that it is read from.
    Parameter(usize, i64),
    /// A register that nothing more is known of.
    Register(usize),
}

/// An address as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub root: Root,
    /// Bytes from there; `None` where they are not known.
    pub offset: Option<i64>,
    /// Whether the value is a generic address: `None` where that is not known.
    pub generic: Option<bool>,
    /// The memory that it points to, `.global` or `.shared` and so on, where that is known.
    pub space: Option<Space>,
}

/// Memory that an address can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Const,
    Param,
}

impl Space {
    /// The space of a directive or a modifier, a dot before it or not, `::cta` or `::cluster` behind it or not.
    pub(crate) fn parse(word: &str) -> Option<Space> {
        Some(match word.trim_start_matches('.').split("::").next()? {
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => return None,
        })
    }

    /// As it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::Local => ".local",
            Space::Const => ".const",
            Space::Param => ".param",
        }
    }
}

/// How many instructions back an address is followed.
const FAR: usize = 48;

/// What is learnt of an address on the way back to its root, the last step first.
struct Way {
    offset: Option<i64>,
    generic: Option<bool>,
    space: Option<Space>,
}

impl Way {
    fn end(self, root: Root) -> Place {
        Place { root, offset: self.offset, generic: self.generic, space: self.space }
    }
}

impl Flow<'_> {
    /// Where the address of an atomic, a load or a store comes from.
    pub(crate) fn address(&self, step: &Step) -> Option<Place> {
        let address = step.values.iter().find(|value| matches!(value, Value::Address { .. }))?;
        let Value::Address { base, offset } = address else { return None };
        let mut patience = FAR;
        let mut place = self.follow(base, &mut patience)?;
        place.offset = sum(place.offset, *offset);
        Some(place)
    }

    /// Where a value comes from.
    fn follow(&self, value: &Value, patience: &mut usize) -> Option<Place> {
        let mut way = Way { offset: Some(0), generic: None, space: None };
        let mut value = value.clone();
        loop {
            let register = match value {
                Value::Variable { at, offset } => {
                    way.offset = sum(way.offset, Some(offset));
                    way.generic = way.generic.or(Some(false));
                    way.space = way.space.or(Space::parse(&self.declaration(at).space.text));
                    return Some(way.end(Root::Variable(at)));
                }
                Value::Register(register) => register,
                _ => return None,
            };
            let end = Root::Register(register);
            *patience = patience.saturating_sub(1);
            let writer = self.writer(register).map(|(_, step)| step);
            let whole = |step: &&Step| step.values.first() == Some(&Value::Register(register));
            let Some(step) = writer.filter(whole).filter(|_| *patience > 0) else { return Some(way.end(end)) };
            value = match self.before(step, &mut way, patience) {
                Before::Value(next) => next,
                Before::Root(root) => return Some(way.end(root)),
                Before::Nothing => return Some(way.end(end)),
            };
        }
    }

    /// What the value that a step computes starts from.
    fn before(&self, step: &Step, way: &mut Way, patience: &mut usize) -> Before {
        let input = |at: usize| step.values.get(at).cloned().unwrap_or(Value::Other);
        match &*step.opcode.mnemonic.text {
            "mov" => match input(1) {
                next @ (Value::Register(_) | Value::Variable { .. }) => Before::Value(next),
                _ => Before::Nothing,
            },
            "cvta" => {
                let next @ (Value::Register(_) | Value::Variable { .. }) = input(1) else { return Before::Nothing };
                way.generic = way.generic.or(Some(!step.has("to")));
                way.space = way.space.or(step.opcode.modifiers.iter().find_map(|word| Space::parse(&word.text)));
                Before::Value(next)
            }
            "cvt" if step.has("u64") && step.has("u32") => match input(1) {
                next @ Value::Register(_) => Before::Value(next),
                _ => Before::Nothing,
            },
            "add" => self.sum_of(&input(1), &input(2), way, patience),
            "sub" => match self.constant(&input(2)) {
                Some(less) => {
                    way.offset = way.offset.and_then(|offset| offset.checked_sub(less));
                    Before::Value(input(1))
                }
                None => Before::Nothing,
            },
            "ld" if step.has("param") => match input(1) {
                Value::Address { base, offset: Some(from) } => match *base {
                    Value::Variable { at, offset } if self.is_parameter(at) => {
                        Before::Root(Root::Parameter(at, from.saturating_add(offset)))
                    }
                    _ => Before::Nothing,
                },
                _ => Before::Nothing,
            },
            _ => Before::Nothing,
        }
    }

    fn sum_of(&self, first: &Value, second: &Value, way: &mut Way, patience: &mut usize) -> Before {
        let (next, more) = match (self.constant(first), self.constant(second)) {
            (_, Some(more)) => (first, more),
            (Some(more), None) => (second, more),
            (None, None) => {
                way.offset = None;
                let known = |value: &Value, patience: &mut usize| {
                    self.follow(value, patience).filter(|place| !matches!(place.root, Root::Register(_)))
                };
                let found = known(first, patience).or_else(|| known(second, patience));
                let Some(found) = found else { return Before::Nothing };
                way.generic = way.generic.or(found.generic);
                way.space = way.space.or(found.space);
                return Before::Root(found.root);
            }
        };
        way.offset = sum(way.offset, Some(more));
        Before::Value(next.clone())
    }

    /// Whether an address in global memory is the same in all CTAs.
    pub(crate) fn is_common(&self, place: &Place) -> bool {
        // It may depend on the CTA where it is not a constant number of bytes away, and a function's caller may give each its own.
        let same = match place.root {
            Root::Variable(_) => place.space == Some(Space::Global),
            Root::Parameter(..) => self.entry && !matches!(place.space, Some(Space::Shared | Space::Local)),
            Root::Register(_) => false,
        };
        same && place.offset.is_some()
    }

    /// The number that a value surely is.
    pub(crate) fn constant(&self, value: &Value) -> Option<i64> {
        let mut value = value.clone();
        for _ in 0..FAR {
            match value {
                Value::Number(number) => return i64::try_from(number).ok(),
                Value::Register(register) => {
                    let (_, step) = self.writer(register)?;
                    let whole = step.values.first() == Some(&Value::Register(register));
                    value = step.values.get(1).filter(|_| whole && step.is("mov"))?.clone();
                }
                _ => return None,
            }
        }
        None
    }
}

/// One step back on the way of an address.
enum Before {
    Value(Value),
    Root(Root),
    Nothing,
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}

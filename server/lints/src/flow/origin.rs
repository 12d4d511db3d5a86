//! Where the value of an address register comes from, followed through moves, sums, products, conversions, merges and parameters.

use super::{Definition, DefinitionSite, Flow, FlowStep, KnownAddress, OperandValue, PointedSpace, Root};

/// Through how many values an address is followed.
const FAR: usize = 48;

/// How many values are looked at for one question.
const PATIENCE: usize = 256;

impl Flow<'_> {
    /// Where the address of an atomic, a load or a store comes from.
    pub(crate) fn address(&self, step: &FlowStep) -> Option<KnownAddress> {
        let address = step.values.iter().find(|value| matches!(value, OperandValue::Address { .. }))?;
        let OperandValue::Address { base, offset } = address else { return None };
        let place = self.place(base, step.at)?;
        let unknown = Definition { register: 0, site: DefinitionSite::Unknown(step.at) };
        let more =
            offset.map_or_else(|| KnownAddress::multiple(1, unknown), |offset| KnownAddress::at(Root::Zero, offset));
        (place.root != Root::Zero).then(|| place.plus(&more, unknown))
    }

    /// Where a value comes from that a step uses.
    pub(crate) fn place(&self, value: &OperandValue, at: usize) -> Option<KnownAddress> {
        OriginTrace { flow: self, path: Vec::new(), low: usize::MAX, patience: PATIENCE }.value(value, at)
    }

    /// Whether a value that a step uses is the one that another step wrote to a register, or a copy of it.
    pub(crate) fn is_from(&self, value: &OperandValue, at: usize, register: usize, writer: usize) -> bool {
        let written = Definition { register, site: DefinitionSite::Step(writer) };
        self.place(value, at).is_some_and(|place| place.anchor == (Root::Value(written), 0))
    }

    /// Whether an address in global memory is the same in all CTAs.
    pub(crate) fn is_common(&self, place: &KnownAddress) -> bool {
        // It may depend on the CTA where it is not a constant number of bytes away, and a function's caller may give each its own.
        let same = match place.root {
            Root::Variable(_) => place.space == Some(PointedSpace::Global),
            Root::Parameter(..) => {
                self.entry && !matches!(place.space, Some(PointedSpace::Shared | PointedSpace::Local))
            }
            Root::Zero | Root::Value(_) => false,
        };
        same && place.offset().is_some()
    }

    /// The number that a value surely is that a step uses.
    pub(crate) fn constant(&self, value: &OperandValue, at: usize) -> Option<i64> {
        self.place(value, at)?.factor()
    }
}

/// One question after an origin.
struct OriginTrace<'f, 'a> {
    flow: &'f Flow<'a>,
    /// The values whose origins are being looked for, each for the one before it.
    path: Vec<Definition>,
    /// The first on the path that was met again: what is found before it is done does not hold for other questions.
    low: usize,
    patience: usize,
}

impl OriginTrace<'_, '_> {
    fn value(&mut self, value: &OperandValue, at: usize) -> Option<KnownAddress> {
        match value {
            OperandValue::Register(register) => Some(self.definition(self.flow.reaching(*register, at))),
            OperandValue::Variable { at, offset } => {
                let space = PointedSpace::parse(&self.flow.declaration(*at).space.text);
                Some(KnownAddress { generic: Some(false), space, ..KnownAddress::at(Root::Variable(*at), *offset) })
            }
            OperandValue::Number(number) => {
                let wrapped = || u64::try_from(*number).map(|number| number as i64);
                Some(KnownAddress::at(Root::Zero, i64::try_from(*number).or_else(|_| wrapped()).ok()?))
            }
            OperandValue::Address { .. } | OperandValue::List(_) | OperandValue::Other => None,
        }
    }

    fn definition(&mut self, wanted: Definition) -> KnownAddress {
        // Every way round leads through a merge: the origin of that one is what is open.
        let merges = matches!(wanted.site, DefinitionSite::Merge(_) | DefinitionSite::Guarded(_));
        if let Some(level) = self.path.iter().position(|open| merges && *open == wanted) {
            self.low = self.low.min(level);
            return KnownAddress::opaque(wanted);
        }
        if let Some(known) = self.flow.places.borrow().get(&wanted) {
            return *known;
        }
        if self.path.len() == FAR || self.patience == 0 {
            self.low = 0;
            return KnownAddress::opaque(wanted);
        }
        self.patience -= 1;
        let level = self.path.len();
        let outer = std::mem::replace(&mut self.low, usize::MAX);
        self.path.push(wanted);
        let mut place = self.source(wanted).unwrap_or_else(|| KnownAddress::opaque(wanted));
        self.path.pop();
        if self.low >= level {
            self.low = usize::MAX;
            self.flow.places.borrow_mut().insert(wanted, place);
            place = self.beyond(place, wanted);
            self.flow.places.borrow_mut().insert(wanted, place);
        }
        self.low = self.low.min(outer);
        place
    }

    /// What is known of a value that starts from another merge, once that one can be looked at for itself.
    fn beyond(&mut self, place: KnownAddress, wanted: Definition) -> KnownAddress {
        match place.root {
            Root::Value(merge @ Definition { site: DefinitionSite::Merge(_), .. }) if merge != wanted => {
                let further = self.definition(merge);
                if further.root == Root::Value(wanted) || further.root == place.root {
                    return place;
                }
                let anchor = match place.anchor.0 == place.root {
                    true => (further.anchor.0, further.anchor.1.saturating_add(place.anchor.1)),
                    false => place.anchor,
                };
                let moved = further.plus(&KnownAddress { root: Root::Zero, ..place }, wanted);
                let (generic, space) = (place.generic.or(moved.generic), place.space.or(moved.space));
                KnownAddress { anchor, generic, space, ..moved }
            }
            _ => place,
        }
    }

    fn source(&mut self, wanted: Definition) -> Option<KnownAddress> {
        match wanted.site {
            DefinitionSite::Entry | DefinitionSite::Unknown(_) => None,
            DefinitionSite::Step(at) => self.computed(wanted, at),
            DefinitionSite::Guarded(at) => {
                let done = self.definition(Definition { site: DefinitionSite::Step(at), ..wanted });
                let left = self.definition(self.flow.before(wanted.register, at));
                Some(KnownAddress::join(wanted, &[done, left]))
            }
            DefinitionSite::Merge(_) => {
                let merged = self.flow.merged(wanted)?;
                let places: Vec<_> = merged.into_iter().map(|from| self.definition(from)).collect();
                Some(KnownAddress::join(wanted, &places))
            }
        }
    }

    /// What a step computes.
    fn computed(&mut self, wanted: Definition, at: usize) -> Option<KnownAddress> {
        let step = self.flow.step(at);
        if step.values.first() != Some(&OperandValue::Register(wanted.register)) {
            return None;
        }
        let mnemonic = &*step.opcode.mnemonic.text;
        match mnemonic {
            "mov" => self.input(step, 1),
            "cvta" => {
                let from = self.input(step, 1)?;
                let space = step.opcode.modifiers.iter().find_map(|word| PointedSpace::parse(&word.text));
                Some(KnownAddress { generic: Some(!step.has("to")), space: space.or(from.space), ..from })
            }
            "cvt" if step.has("u64") && step.has("u32") => self.converted(step),
            "selp" => {
                let places = [self.input(step, 1)?, self.input(step, 2)?];
                Some(KnownAddress::join(wanted, &places))
            }
            "add" | "sub" | "mul" | "mad" | "shl" if is_integer(step) => {
                let found = self.arithmetic(wanted, step, mnemonic)?;
                let narrow = step.opcode.modifiers.last().is_some_and(|word| word.text.ends_with("32"));
                Some(if narrow && !step.has("wide") { found.narrowed() } else { found })
            }
            "ld" if step.has("param") => self.parameter(step),
            _ => None,
        }
    }

    fn input(&mut self, step: &FlowStep, place: usize) -> Option<KnownAddress> {
        self.value(step.values.get(place)?, step.at)
    }

    /// Between 32 and 64 bits: an address in shared memory fits either, and so does a number that is no larger.
    fn converted(&mut self, step: &FlowStep) -> Option<KnownAddress> {
        let narrows = step.opcode.modifiers.first().is_some_and(|word| word.text == "u32");
        let fits = |number: i64| u32::try_from(number).is_ok();
        self.input(step, 1).filter(|from| match from.root {
            Root::Zero => from.factor().is_some_and(fits),
            _ => !narrows || from.space == Some(PointedSpace::Shared) && from.generic == Some(false),
        })
    }

    fn arithmetic(&mut self, wanted: Definition, step: &FlowStep, mnemonic: &str) -> Option<KnownAddress> {
        let (a, b) = (self.input(step, 1), self.input(step, 2));
        let unknown = || KnownAddress::opaque(wanted);
        let is_number = |place: &KnownAddress| place.root == Root::Zero;
        match mnemonic {
            "add" => sum(wanted, a, b),
            "sub" => {
                let less = b.filter(is_number)?;
                let minus = less.base.checked_neg()?;
                Some(a?.plus(&KnownAddress { base: minus, ..less }, wanted))
            }
            "mul" => Some(a.unwrap_or_else(unknown).times(&b.unwrap_or_else(unknown), wanted)),
            "shl" => {
                let bits = b?.factor().filter(|bits| (0..63).contains(bits))?;
                Some(a.unwrap_or_else(unknown).times(&KnownAddress::at(Root::Zero, 1 << bits), wanted))
            }
            _ => {
                let product = a.unwrap_or_else(unknown).times(&b.unwrap_or_else(unknown), wanted);
                Some(self.input(step, 3)?.plus(&product, wanted))
            }
        }
    }

    /// What is read from a parameter of this function.
    fn parameter(&self, step: &FlowStep) -> Option<KnownAddress> {
        let OperandValue::Address { base, offset: Some(from) } = step.values.get(1)? else { return None };
        let OperandValue::Variable { at, offset } = **base else { return None };
        if !self.flow.is_parameter(at) {
            return None;
        }
        let from = from.saturating_add(offset);
        let pointer = &self.flow.declaration(at).pointer;
        let space = PointedSpace::parse(&pointer.text).filter(|_| from == 0);
        Some(KnownAddress { generic: space.map(|_| false), space, ..KnownAddress::at(Root::Parameter(at, from), 0) })
    }
}

/// A sum of an address and a number, or of an address and what is not known.
fn sum(wanted: Definition, a: Option<KnownAddress>, b: Option<KnownAddress>) -> Option<KnownAddress> {
    let is_number = |place: &Option<KnownAddress>| place.is_some_and(|place| place.root == Root::Zero);
    match (a, b) {
        (Some(a), Some(number)) if number.root == Root::Zero => Some(a.plus(&number, wanted)),
        (Some(number), Some(b)) if number.root == Root::Zero => Some(b.plus(&number, wanted)),
        (None, _) | (_, None) if is_number(&a) || is_number(&b) => None,
        (a, b) => {
            let [a, b] = [a, b].map(|place| place.filter(KnownAddress::points));
            // Of two pointers, one may be a distance: that one which nobody treats as an address.
            let address = match (a, b) {
                (Some(a), Some(b)) => match (a.space, b.space) {
                    (Some(_), None) => a,
                    (None, Some(_)) => b,
                    _ => return None,
                },
                (one, other) => one.or(other)?,
            };
            Some(address.plus(&KnownAddress::multiple(1, wanted), wanted))
        }
    }
}

/// Whether it computes with integers, one at a time, and gives the lower half of what comes out.
fn is_integer(step: &FlowStep) -> bool {
    let ty = step.opcode.modifiers.last().map_or("", |word| &*word.text);
    let scalar = ty.starts_with(['u', 's', 'b']) && !ty.contains('x');
    scalar && !["cc", "sat", "hi"].iter().any(|word| step.has(word))
}

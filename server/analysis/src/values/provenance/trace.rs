//! Traces the provenance of a value through moves, arithmetic, conversions, merges and parameters.

use crate::values::computation::{ArithmeticOperation, TracedComputation};
use crate::values::{
    DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue, PointedSpace, Provenance, Root,
};

/// The maximum number of values on a path.
const MAX_DEPTH: usize = 48;

/// The maximum number of values that one query visits.
const MAX_VALUES: usize = 256;

impl FunctionValues<'_> {
    /// The provenance of the address of an atomic, a load or a store.
    pub fn address_provenance(&self, instruction: &DecodedInstruction) -> Option<Provenance> {
        *instruction.address.get_or_init(|| {
            let address = instruction.values.iter().position(|value| matches!(value, OperandValue::Address { .. }))?;
            self.address_in(&instruction.values, address, instruction.at)
        })
    }

    /// The provenance of the address in an operand of an instruction. A list in brackets begins with an address.
    pub fn operand_address(&self, at: usize, operand: usize) -> Option<Provenance> {
        self.address_in(&self.values(at), operand, at)
    }

    fn address_in(&self, values: &[OperandValue], operand: usize, at: usize) -> Option<Provenance> {
        let (base, offset) = match values.get(operand)? {
            OperandValue::Address { base, offset } => (&**base, offset),
            OperandValue::List(values) => (values.first()?, &Some(0)),
            _ => return None,
        };
        let provenance = self.provenance(base, at)?;
        let unknown = Definition { register: 0, site: DefinitionSite::Unknown(at) };
        let more = offset.map_or_else(|| Provenance::multiple(1, unknown), |offset| Provenance::at(Root::Zero, offset));
        (provenance.root != Root::Zero).then(|| provenance.plus(&more, unknown))
    }

    /// The provenance of a value that an instruction uses.
    pub fn provenance(&self, value: &OperandValue, at: usize) -> Option<Provenance> {
        OriginTrace { flow: self, path: Vec::new(), low: usize::MAX, budget: MAX_VALUES }.value(value, at)
    }

    /// Whether a definition may have a provenance other than itself.
    fn is_traced(&self, site: DefinitionSite) -> bool {
        match site {
            DefinitionSite::Entry | DefinitionSite::Unknown(_) => false,
            DefinitionSite::Instruction(at) => self.spelled(at).computation.is_some(),
            DefinitionSite::Guarded(_) | DefinitionSite::Merge(_) => true,
        }
    }

    /// Whether a value that an instruction uses is the value that another instruction wrote to a register, or a copy of it.
    pub fn is_from(&self, value: &OperandValue, at: usize, register: usize, writer: usize) -> bool {
        let written = Definition { register, site: DefinitionSite::Instruction(writer) };
        self.provenance(value, at).is_some_and(|provenance| provenance.anchor == (Root::Value(written), 0))
    }

    /// Whether an address is a global address that is the same in all CTAs.
    pub fn is_same_in_all_ctas(&self, provenance: &Provenance) -> bool {
        // An offset that is not constant may depend on the CTA, and so may the argument of a function.
        let same = match provenance.root {
            Root::Variable(_) => provenance.space == Some(PointedSpace::Global),
            Root::Parameter(..) => {
                self.graph.entry && !matches!(provenance.space, Some(PointedSpace::Shared | PointedSpace::Local))
            }
            Root::Zero | Root::Value(_) => false,
        };
        same && provenance.offset().is_some()
    }

    /// The value of a constant that an instruction uses.
    pub fn constant(&self, value: &OperandValue, at: usize) -> Option<i64> {
        self.provenance(value, at)?.known_number()
    }
}

/// One provenance query.
struct OriginTrace<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    /// The values on the current path.
    path: Vec<Definition>,
    /// The lowest index on the path that a cycle leads back to. Results above it are provisional and are not cached.
    low: usize,
    budget: usize,
}

impl OriginTrace<'_, '_> {
    fn value(&mut self, value: &OperandValue, at: usize) -> Option<Provenance> {
        match value {
            OperandValue::Register(register) => Some(self.definition(self.flow.reaching(*register, at))),
            OperandValue::Variable { at, offset } => {
                let space = PointedSpace::parse(&self.flow.declaration(*at).space.text);
                Some(Provenance { generic: Some(false), space, ..Provenance::at(Root::Variable(*at), *offset) })
            }
            OperandValue::Number(number) => {
                let wrapped = || u64::try_from(*number).map(|number| number as i64);
                Some(Provenance::at(Root::Zero, i64::try_from(*number).or_else(|_| wrapped()).ok()?))
            }
            OperandValue::Address { .. } | OperandValue::List(_) | OperandValue::Other => None,
        }
    }

    fn definition(&mut self, wanted: Definition) -> Provenance {
        // Every cycle contains a merge, which is opaque until it is complete.
        let merges = matches!(wanted.site, DefinitionSite::Merge(_) | DefinitionSite::Guarded(_));
        if let Some(level) = self.path.iter().position(|pending| merges && *pending == wanted) {
            self.low = self.low.min(level);
            return Provenance::opaque(wanted);
        }
        if !self.flow.is_traced(wanted.site) {
            return Provenance::opaque(wanted);
        }
        if let Some(known) = self.flow.provenances.borrow().get(&wanted) {
            return known;
        }
        if self.path.len() == MAX_DEPTH || self.budget == 0 {
            self.low = 0;
            return Provenance::opaque(wanted);
        }
        self.budget -= 1;
        let level = self.path.len();
        let outer = std::mem::replace(&mut self.low, usize::MAX);
        self.path.push(wanted);
        let mut provenance = self.source(wanted).unwrap_or_else(|| Provenance::opaque(wanted));
        self.path.pop();
        if self.low >= level {
            self.low = usize::MAX;
            self.set(wanted, provenance);
            if let Root::Value(merge @ Definition { site: DefinitionSite::Merge(_), .. }) = provenance.root
                && merge != wanted
            {
                provenance = self.continue_from_merge(provenance, merge, wanted);
                self.set(wanted, provenance);
            }
        }
        self.low = self.low.min(outer);
        provenance
    }

    fn set(&self, definition: Definition, provenance: Provenance) {
        self.flow.provenances.borrow_mut().set(definition, provenance, self.flow.len());
    }

    /// Continues from a value whose root is another merge, once that merge can be traced on its own.
    fn continue_from_merge(&mut self, provenance: Provenance, merge: Definition, wanted: Definition) -> Provenance {
        let further = self.definition(merge);
        if further.root == Root::Value(wanted) || further.root == provenance.root {
            return provenance;
        }
        let anchor = if provenance.anchor.0 == provenance.root {
            (further.anchor.0, further.anchor.1.saturating_add(provenance.anchor.1))
        } else {
            provenance.anchor
        };
        let moved = further.plus(&Provenance { root: Root::Zero, ..provenance }, wanted);
        let (generic, space) = (provenance.generic.or(moved.generic), provenance.space.or(moved.space));
        Provenance { anchor, generic, space, ..moved }
    }

    fn source(&mut self, wanted: Definition) -> Option<Provenance> {
        match wanted.site {
            DefinitionSite::Entry | DefinitionSite::Unknown(_) => None,
            DefinitionSite::Instruction(at) => self.computed(wanted, at),
            DefinitionSite::Guarded(at) => {
                let executed = self.definition(Definition { site: DefinitionSite::Instruction(at), ..wanted });
                let skipped = self.definition(self.flow.reaching_before(wanted.register, at));
                Some(Provenance::join(wanted, &[executed, skipped]))
            }
            DefinitionSite::Merge(_) => {
                let merged = self.flow.incoming_values(wanted)?;
                let provenances: Vec<_> = merged.into_iter().map(|from| self.definition(from)).collect();
                Some(Provenance::join(wanted, &provenances))
            }
        }
    }

    /// The provenance of the result of an instruction.
    fn computed(&mut self, wanted: Definition, at: usize) -> Option<Provenance> {
        let computation = self.flow.spelled(at).computation?;
        let values = &*self.flow.values(at);
        if values.first() != Some(&OperandValue::Register(wanted.register)) {
            return None;
        }
        match computation {
            TracedComputation::Move => self.input(values, 1, at),
            TracedComputation::ConvertAddress { is_generic, space } => {
                let from = self.input(values, 1, at)?;
                Some(Provenance { generic: Some(is_generic), space: space.or(from.space), ..from })
            }
            TracedComputation::Resize { narrows } => {
                // Shared addresses and small numbers fit both sizes.
                let fits = |number: i64| u32::try_from(number).is_ok();
                self.input(values, 1, at).filter(|from| match from.root {
                    Root::Zero => from.known_number().is_some_and(fits),
                    _ => !narrows || from.space == Some(PointedSpace::Shared) && from.generic == Some(false),
                })
            }
            TracedComputation::Select => {
                let provenances = [self.input(values, 1, at)?, self.input(values, 2, at)?];
                Some(Provenance::join(wanted, &provenances))
            }
            TracedComputation::Arithmetic { operation, narrows } => {
                let found = self.arithmetic(wanted, operation, values, at)?;
                Some(if narrows { found.narrowed() } else { found })
            }
            TracedComputation::LoadParameter => self.parameter(values),
        }
    }

    /// The provenance of an operand of the instruction at an index.
    fn input(&mut self, values: &[OperandValue], operand: usize, at: usize) -> Option<Provenance> {
        self.value(values.get(operand)?, at)
    }

    fn arithmetic(
        &mut self,
        wanted: Definition,
        operation: ArithmeticOperation,
        values: &[OperandValue],
        at: usize,
    ) -> Option<Provenance> {
        let (a, b) = (self.input(values, 1, at), self.input(values, 2, at));
        let unknown = || Provenance::opaque(wanted);
        let is_number = |provenance: &Provenance| provenance.root == Root::Zero;
        match operation {
            ArithmeticOperation::Add => sum(wanted, a, b),
            ArithmeticOperation::Subtract => {
                let less = b.filter(is_number)?;
                let minus = less.base.checked_neg()?;
                Some(a?.plus(&Provenance { base: minus, ..less }, wanted))
            }
            ArithmeticOperation::Multiply => Some(a.unwrap_or_else(unknown).times(&b.unwrap_or_else(unknown), wanted)),
            ArithmeticOperation::ShiftLeft => {
                let bits = b?.known_number().filter(|bits| (0..63).contains(bits))?;
                Some(a.unwrap_or_else(unknown).times(&Provenance::at(Root::Zero, 1 << bits), wanted))
            }
            ArithmeticOperation::MultiplyAdd => {
                let product = a.unwrap_or_else(unknown).times(&b.unwrap_or_else(unknown), wanted);
                Some(self.input(values, 3, at)?.plus(&product, wanted))
            }
        }
    }

    /// The provenance of a value that is loaded from a parameter of this function.
    fn parameter(&self, values: &[OperandValue]) -> Option<Provenance> {
        let OperandValue::Address { base, offset: Some(from) } = values.get(1)? else { return None };
        let OperandValue::Variable { at, offset } = **base else { return None };
        if !self.flow.is_parameter(at) {
            return None;
        }
        let from = from.saturating_add(offset);
        let pointer = &self.flow.declaration(at).pointer;
        let space = PointedSpace::parse(&pointer.text).filter(|_| from == 0);
        Some(Provenance { generic: space.map(|_| false), space, ..Provenance::at(Root::Parameter(at, from), 0) })
    }
}

/// The sum of an address and a number, or of an address and an unknown value.
fn sum(wanted: Definition, a: Option<Provenance>, b: Option<Provenance>) -> Option<Provenance> {
    let is_number =
        |provenance: &Option<Provenance>| provenance.is_some_and(|provenance| provenance.root == Root::Zero);
    match (a, b) {
        (Some(a), Some(number)) if number.root == Root::Zero => Some(a.plus(&number, wanted)),
        (Some(number), Some(b)) if number.root == Root::Zero => Some(b.plus(&number, wanted)),
        (None, _) | (_, None) if is_number(&a) || is_number(&b) => None,
        (a, b) => {
            let [a, b] = [a, b].map(|provenance| provenance.filter(Provenance::points));
            // Of two possible pointers, the one without a state space may be an offset.
            let address = match (a, b) {
                (Some(a), Some(b)) => match (a.space, b.space) {
                    (Some(_), None) => a,
                    (None, Some(_)) => b,
                    _ => return None,
                },
                (one, other) => one.or(other)?,
            };
            Some(address.plus(&Provenance::multiple(1, wanted), wanted))
        }
    }
}

//! Decodes instructions: their operands and the values of these.

use crate::values::opcodes::PlacedOpcode;
use crate::values::{FunctionValues, OperandValue, Provenance, SlotContent, value};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;
use syntax::{DeclarationKind, Instruction, Operand, OperandKind};

/// A decoded instruction.
pub struct DecodedInstruction<'a> {
    /// Its index in the function.
    pub at: usize,
    /// Its place in the text.
    pub range: Range<usize>,
    /// Its opcode.
    pub opcode: PlacedOpcode<'a>,
    /// The guard's register, and whether it is negated.
    pub guard: Option<(OperandValue, bool)>,
    /// Its operands.
    pub operands: Vec<Operand<'a>>,
    /// The value of each operand.
    pub values: Vec<OperandValue>,
    /// The resolved form of a legal atomic.
    pub atomic: Option<Arc<isa::ResolvedInstruction>>,
    /// The provenance of its address, which several rules read.
    pub(in crate::values) address: OnceCell<Option<Provenance>>,
}

impl<'a> FunctionValues<'a> {
    /// The atomics, with the index of each.
    pub fn atomics(&self) -> impl Iterator<Item = (usize, &DecodedInstruction<'a>, &isa::ResolvedInstruction)> {
        self.atomics.iter().map(|(at, legal)| (*at, self.instruction(*at), &**legal))
    }

    /// The indices of the atomics, in order, with their resolved forms.
    pub fn atomic_forms(&self) -> impl Iterator<Item = (usize, &isa::ResolvedInstruction)> {
        self.atomics.iter().map(|(at, legal)| (*at, &**legal))
    }

    /// The decoded instruction at an index.
    pub fn instruction(&self, at: usize) -> &DecodedInstruction<'a> {
        self.graph.slots[at].decoded.get_or_init(|| Box::new(self.decode(at)))
    }

    /// The operand value of a symbol.
    fn meaning(&self, symbol: usize) -> OperandValue {
        match self.declaration(symbol).kind {
            DeclarationKind::Register => OperandValue::Register(symbol),
            _ => OperandValue::Variable { at: symbol, offset: 0 },
        }
    }

    /// The value of a name that an instruction uses.
    pub(in crate::values) fn named(&self, at: usize, name: &str) -> Option<OperandValue> {
        let mut used = self.uses_in(at).iter().map(|symbol_use| symbol_use.symbol());
        used.find(|symbol| self.graph.symbols.all[*symbol].name == name).map(|symbol| self.meaning(symbol))
    }

    /// The values of the operands of an instruction, which is not decoded for good.
    pub(in crate::values) fn values(&self, at: usize) -> Cow<'_, [OperandValue]> {
        if let Some(decoded) = self.graph.slots[at].decoded.get() {
            return Cow::Borrowed(&decoded.values);
        }
        match self.source(at) {
            Some(instruction) => Cow::Owned(self.values_of(at, &instruction.operands())),
            None => Cow::Borrowed(&[]),
        }
    }

    fn values_of(&self, at: usize, operands: &[Operand]) -> Vec<OperandValue> {
        operands.iter().map(|operand| value::read(operand, &|name| self.named(at, name))).collect()
    }

    /// The instruction; `None` for a broken statement.
    pub(in crate::values) fn source(&self, at: usize) -> Option<Instruction<'a>> {
        match &self.graph.slots[at].content {
            SlotContent::Scanned(offsets) => Some(offsets.read(self.graph.file, &mut self.reader.borrow_mut())),
            SlotContent::Parsed(number) => Some(self.graph.parsed[*number as usize]),
            SlotContent::Broken(_) => None,
        }
    }

    /// Decodes an instruction, which is not kept: for those that are visited once.
    pub fn decode(&self, at: usize) -> DecodedInstruction<'a> {
        let words = &self.spelled(at).words;
        let Some(instruction) = self.source(at) else {
            let range = self.range(at);
            let opcode = PlacedOpcode::new(words, range.start);
            return DecodedInstruction {
                at,
                range,
                opcode,
                guard: None,
                operands: Vec::new(),
                values: Vec::new(),
                atomic: None,
                address: OnceCell::new(),
            };
        };
        let operands = instruction.operands();
        let atomic = self.atomics.binary_search_by_key(&at, |(at, _)| *at).ok();
        DecodedInstruction {
            at,
            range: instruction.range(),
            opcode: PlacedOpcode::new(words, instruction.opcode_range().start),
            guard: self.guard(at),
            values: self.values_of(at, &operands),
            operands,
            atomic: atomic.map(|place| Arc::clone(&self.atomics[place].1)),
            address: OnceCell::new(),
        }
    }

    /// The guard's register, and whether it is negated; `None` without a guard.
    pub fn guard(&self, at: usize) -> Option<(OperandValue, bool)> {
        let slot = &self.graph.slots[at];
        let guard = if slot.guarded { self.source(at)?.guard()? } else { return None };
        Some((self.named(at, &guard.text).unwrap_or(OperandValue::Other), slot.negated))
    }

    /// The range of an instruction.
    pub fn range(&self, at: usize) -> Range<usize> {
        self.graph.range(at)
    }
}

impl<'a> DecodedInstruction<'a> {
    /// Whether it is an instruction of this mnemonic.
    pub fn is(&self, mnemonic: &str) -> bool {
        self.opcode.mnemonic() == mnemonic
    }

    /// Whether it has this modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.opcode.modifiers().any(|word| word == modifier)
    }

    /// The operand in a role, and its value.
    pub fn operand(&self, role: isa::Role) -> Option<(&Operand<'a>, &OperandValue)> {
        let place = self.atomic.as_ref()?.place(role)?;
        Some((self.operands.get(place)?, self.values.get(place)?))
    }

    /// The range of the offset of its address, or of the whole address.
    pub fn offset_range(&self) -> Range<usize> {
        let address = self.operands.iter().find(|operand| operand.kind == OperandKind::Address);
        match (address.and_then(Operand::address), address) {
            (Some(inner), _) => inner.offset.map_or(inner.base.token.range, |offset| offset.range),
            (None, Some(operand)) => operand.token.range.clone(),
            (None, None) => self.opcode.range(),
        }
    }

    /// The range of the modifier in a slot of an atomic, or of the mnemonic.
    pub fn word(&self, slot: &str) -> Range<usize> {
        self.opcode.at(self.atomic.as_ref().and_then(|legal| legal.at(slot)))
    }

    /// The range of a modifier, or of the mnemonic.
    pub fn modifier(&self, text: &str) -> Range<usize> {
        self.opcode.at(self.opcode.modifiers().position(|word| word == text))
    }
}

//! Completions of operands, by the width and state space that the opcode requires.

use super::{CompletionList, StatementCompletionKind};
use crate::features::names::{AccessTracker, NameAccess, READ_ONLY_MNEMONICS};
use crate::features::ranking::{ExpectedOperand, SPACES, TypeClass, bits_of};
use crate::features::statement_prefix::OperandPrefix;
use diagnostics::Context;
use isa::{Resolution, Role, Spelling, reference, special};
use std::collections::BTreeSet;
use syntax::token_events;

/// How far before a statement assignments are looked for, in bytes.
const NEAR: usize = 1 << 16;

impl CompletionList<'_> {
    /// Adds the completions of an operand of a statement that begins at an offset.
    pub(super) fn operands(&mut self, operands: &OperandPrefix, statement: usize) {
        if let Some((name, _)) = self.word.clone().split_once('.') {
            return self.parts(name);
        }
        let mut words = operands.opcode.split('.');
        let mnemonic = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.collect();
        let space = modifiers.iter().find_map(|word| SPACES.iter().find(|(name, _)| word.starts_with(name)));
        let space = space.map(|(_, space)| *space);
        // Where an address is expected, it is offered with its brackets.
        let lacks_bracket = operands.bracket.is_none() && self.is_address(mnemonic, &modifiers, operands);
        let address = operands.bracket == Some('[') || lacks_bracket;
        self.access = Some(self.access_of(mnemonic, &modifiers, operands));
        if self.access == Some(NameAccess::Read) {
            self.assigned = Some(self.written_before(statement));
        }
        let wanted = match mnemonic {
            "bra" | "brx" => ExpectedOperand { labels: true, ..ExpectedOperand::default() },
            "call" => ExpectedOperand { functions: operands.bracket.is_none(), ..ExpectedOperand::default() },
            _ if address => ExpectedOperand { bits: Some(64), space, address, ..ExpectedOperand::default() },
            _ => {
                let ty = self.value_type(mnemonic, &modifiers, operands);
                let (bits, class) = (ty.as_deref().and_then(bits_of), ty.as_deref().and_then(TypeClass::of));
                ExpectedOperand { bits, class, space, ..ExpectedOperand::default() }
            }
        };
        self.names(&wanted);
        if lacks_bracket && self.word.is_empty() {
            for (_, item) in &mut self.items {
                item.label = format!("[{}]", item.label);
                item.text.clone_from(&item.label);
            }
        }
        if !wanted.labels && !wanted.functions && !address {
            self.specials(wanted.bits);
        }
    }

    /// Whether an operand is an address by the tables.
    fn is_address(&self, mnemonic: &str, modifiers: &[&str], operands: &OperandPrefix) -> bool {
        let module = Context::new(self.snapshot).module;
        match isa::resolve(&Spelling { mnemonic, modifiers }, &module) {
            Resolution::Legal(instruction) => {
                instruction.operands().nth(operands.index).is_some_and(|operand| operand.role == Role::Address)
            }
            _ => false,
        }
    }

    /// Whether an operand is written or read: by the tables if the instruction has rows, else by its place.
    fn access_of(&self, mnemonic: &str, modifiers: &[&str], operands: &OperandPrefix) -> NameAccess {
        let module = Context::new(self.snapshot).module;
        let is_destination = match isa::resolve(&Spelling { mnemonic, modifiers }, &module) {
            Resolution::Legal(instruction) => {
                instruction.operands().nth(operands.index).is_some_and(|operand| operand.role == Role::Destination)
            }
            _ => operands.index == 0 && !READ_ONLY_MNEMONICS.contains(&mnemonic),
        };
        let in_address = operands.bracket == Some('[');
        if is_destination && !in_address { NameAccess::Write } else { NameAccess::Read }
    }

    /// The registers that the instructions before a statement write.
    fn written_before(&self, statement: usize) -> BTreeSet<String> {
        let file = &self.snapshot.file;
        let (mut tracker, mut written) = (AccessTracker::new(file), BTreeSet::new());
        let near = file.clamp(statement.saturating_sub(NEAR))..statement;
        token_events(file, near, |event| {
            if let Some((name, _, NameAccess::Write)) = tracker.process(event) {
                written.insert(name);
            }
        });
        written
    }

    /// The type of an operand without its dot: from the tables if the instruction has rows, else from its modifiers.
    fn value_type(&self, mnemonic: &str, modifiers: &[&str], operands: &OperandPrefix) -> Option<String> {
        let module = Context::new(self.snapshot).module;
        if let Resolution::Legal(instruction) = isa::resolve(&Spelling { mnemonic, modifiers }, &module) {
            return instruction.operands().nth(operands.index).map(|operand| operand.ty.word().to_owned());
        }
        if mnemonic == "setp" && operands.index == 0 {
            return Some("pred".to_owned());
        }
        let mut types = modifiers.iter().filter(|word| bits_of(word).is_some());
        let first = types.next();
        let ty = if operands.index == 0 { first } else { types.next_back().or(first) };
        ty.map(|word| (*word).to_owned())
    }

    /// Adds the components of a vector register.
    fn parts(&mut self, name: &str) {
        let special = special::find(name);
        let parts =
            if special.is_some_and(|special| special.parts) { &["x", "y", "z"][..] } else { &["x", "y", "z", "w"] };
        for part in parts {
            let about = special.map_or("an element of a vector", |special| reference::first_sentence(special.summary));
            self.item(0, StatementCompletionKind::SpecialRegister, format!("{name}.{part}"), about.to_owned(), "");
        }
    }

    /// Adds the special registers, those of the given width first.
    fn specials(&mut self, bits: Option<u32>) {
        for (rank, special) in (300u32..).zip(special::registers()) {
            let fits = bits.is_none() || bits_of(&special.ty[1..]) == bits;
            let rank = if fits { rank } else { rank + 100 };
            let detail = format!("{}: {}", special.ty, reference::first_sentence(special.summary));
            let further = reference::further_sentences(special.summary);
            let documentation = format!("{further}\n\n{}", reference::special_register_facts(special));
            let kind = StatementCompletionKind::SpecialRegister;
            self.item(rank, kind, special.first_name(), detail, documentation.trim());
        }
    }
}

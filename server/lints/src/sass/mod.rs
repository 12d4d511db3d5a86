//! Checks SASS: disassembly, and hand-written Maxwell `RED` instructions.

mod check;
pub mod operands;

use crate::{Check, Checker, Coverage};
use diagnostics::{Diagnostic, Settings, SuppressedDiagnostic};
use isa::sass::{SassContext, SassDialect, SassResolution};
use syntax::Rope;
use syntax::sass::{Listing, ListingEvent, SassInstruction, SassOperandKind, TermKind};

/// A listing with its settings. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Disassembly {
    /// The text and its tree.
    pub listing: Listing,
    /// The settings that apply.
    pub settings: Settings,
}

impl Check for Disassembly {
    fn rope(&self) -> &Rope {
        self.listing.text()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, checker: &mut Checker, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Diagnostic>> {
        check::check(self, &mut checker.coverage, cancelled).map(|(diagnostics, _)| diagnostics)
    }

    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        check::check(self, &mut Coverage::default(), &|| false).unwrap_or_default().1
    }
}

impl Disassembly {
    /// The target number of the code at an offset, from the last target line before it. The settings apply only to PTX.
    pub fn target_at(&self, offset: usize) -> Option<u32> {
        let mut target = None;
        let mut before = true;
        self.listing.walk(|event| match event {
            ListingEvent::Target(number) if before => target = Some(number),
            ListingEvent::Target(_) => {}
            ListingEvent::Instruction(instruction) => before = instruction.range().end < offset,
        });
        target
    }
}

/// Resolves an instruction against the tables.
pub fn resolve(instruction: &SassInstruction, target: Option<u32>) -> SassResolution {
    let words = instruction.words();
    let (mnemonic, modifiers) = words.split_first().expect("an opcode has a first word");
    if !is_known(&mnemonic.text) {
        return SassResolution::Unknown;
    }
    let modifiers: Vec<&str> = modifiers.iter().map(|word| &*word.text).collect();
    isa::sass::resolve(&mnemonic.text, &modifiers, SassContext { dialect: dialect(instruction), target })
}

/// Whether the tables have rows for a mnemonic.
pub fn is_known(mnemonic: &str) -> bool {
    isa::sass::named(mnemonic).is_some()
}

/// The dialect, if the address determines it: Maxwell has no descriptors, uniform registers or `.64`.
pub fn dialect(instruction: &SassInstruction) -> Option<SassDialect> {
    let current = instruction.operands().iter().any(|operand| match &operand.kind {
        SassOperandKind::Address(address) => {
            let uniform = |name: &str| name.starts_with("UR");
            !address.descriptor.is_empty()
                || address.terms.iter().any(|term| match &term.kind {
                    TermKind::Register(name, words) => uniform(&name.text) || !words.is_empty(),
                    TermKind::Number(_) => false,
                })
        }
        SassOperandKind::Register(_) | SassOperandKind::Other => false,
    });
    current.then_some(SassDialect::Current)
}

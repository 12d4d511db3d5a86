//! SASS, as a language: disassembly as it is printed, and Maxwell's `RED` as people write it.
//!
//! Knows listings and the tables of SASS. Must not know PTX text.

mod check;
mod hover;
mod navigation;
mod offers;
mod operands;
mod outline;
pub(crate) mod run;
mod values;

use crate::features::{Fold, Found, Highlight, SemanticToken, Symbol};
use crate::{Checker, Completion, Coverage, Diagnostic, Hover, Settings, Source, Suppressed};
use isa::sass::{Given, Notation, Resolution};
use std::ops::Range;
use syntax::Rope;
use syntax::sass::{Event, Instruction, Listing, OperandKind, TermKind};

/// A listing with the settings that apply to it. Cloning is cheap.
#[derive(Clone, Debug)]
pub(crate) struct Disassembly {
    /// The text and its tree.
    pub listing: Listing,
    /// The settings that apply.
    pub settings: Settings,
}

impl Source for Disassembly {
    fn rope(&self) -> &Rope {
        self.listing.text()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, checker: &mut Checker, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        check::check(self, &mut checker.coverage, cancelled).map(|(findings, _)| findings)
    }

    fn suppressed(&self) -> Vec<Suppressed> {
        check::check(self, &mut Coverage::default(), &|| false).unwrap_or_default().1
    }

    fn hover(&self, offset: usize) -> Option<Hover> {
        hover::hover(self, offset)
    }

    fn complete(&self, offset: usize) -> Vec<Completion> {
        offers::complete(self, offset)
    }

    fn definition(&self, offset: usize) -> Option<Found> {
        navigation::definition(&self.listing, offset)
    }

    fn declaration(&self, offset: usize) -> Option<Found> {
        navigation::definition(&self.listing, offset)
    }

    fn references(&self, offset: usize, declarations: bool) -> Vec<Range<usize>> {
        navigation::references(&self.listing, offset, declarations)
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        navigation::highlights(&self.listing, offset)
    }

    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        outline::semantic_tokens(&self.listing, within)
    }

    fn folding_ranges(&self) -> Vec<Fold> {
        outline::folding_ranges(&self.listing)
    }

    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        self.listing.around(offset)
    }

    fn document_symbols(&self) -> Vec<Symbol> {
        outline::document_symbols(&self.listing)
    }
}

impl Disassembly {
    /// The number of the target that code at an offset is for: what the listing said last. Settings speak of PTX.
    fn target_at(&self, offset: usize) -> Option<u32> {
        let mut target = None;
        let mut before = true;
        self.listing.walk(|event| match event {
            Event::Target(number) if before => target = Some(number),
            Event::Target(_) => {}
            Event::Instruction(instruction) => before = instruction.range().end < offset,
        });
        target
    }
}

/// What the tables say of an instruction.
fn resolve(instruction: &Instruction, target: Option<u32>) -> Resolution {
    let words = instruction.words();
    let (mnemonic, modifiers) = words.split_first().expect("an opcode has a first word");
    if !is_known(&mnemonic.text) {
        return Resolution::Unknown;
    }
    let modifiers: Vec<&str> = modifiers.iter().map(|word| &*word.text).collect();
    isa::sass::resolve(&mnemonic.text, &modifiers, Given { notation: notation(instruction), target })
}

/// Whether a mnemonic has rows.
fn is_known(mnemonic: &str) -> bool {
    isa::sass::named(mnemonic).is_some()
}

/// The notation, where the address tells it: descriptors, uniform registers and `.64` are not of Maxwell.
fn notation(instruction: &Instruction) -> Option<Notation> {
    let current = instruction.operands().iter().any(|operand| match &operand.kind {
        OperandKind::Address(address) => {
            let uniform = |name: &str| name.starts_with("UR");
            !address.descriptor.is_empty()
                || address.terms.iter().any(|term| match &term.kind {
                    TermKind::Register(name, words) => uniform(&name.text) || !words.is_empty(),
                    TermKind::Number(_) => false,
                })
        }
        OperandKind::Register(_) | OperandKind::Other => false,
    });
    current.then_some(Notation::Current)
}

#[cfg(test)]
mod tests;

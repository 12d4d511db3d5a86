//! Hover at a position.

mod symbol;

use diagnostics::Context;
use diagnostics::Snapshot;
use evaluation::comments;
use isa::{Resolution, Spelling};
use std::ops::Range;
use symbol::symbol_hover;
use syntax::Opcode;

/// Documentation of the thing at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The byte range of the documented text.
    pub range: Range<usize>,
    /// The documentation, as Markdown.
    pub markdown: String,
}

/// Hover.
pub trait HoverProvider {
    /// The hover at an offset.
    fn hover(&self, _offset: usize) -> Option<Hover> {
        None
    }
}

impl HoverProvider for Snapshot {
    fn hover(&self, offset: usize) -> Option<Hover> {
        opcode_hover(self, offset).or_else(|| symbol_hover(self, offset))
    }
}

fn opcode_hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let opcode = snapshot.file.instruction_at(offset)?.opcode();
    let covers = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let modifier =
        (0..opcode.modifiers.len()).find(|at| covers(&opcode.at(Some(*at))) && opcode.at(Some(*at)).start < offset);
    match modifier {
        Some(at) => {
            let family = family(&opcode);
            let markdown = isa::doc::modifier(&family, &opcode.modifiers[at].text)?;
            Some(Hover { range: opcode.at(Some(at)), markdown })
        }
        None if covers(&opcode.mnemonic.range) => {
            let markdown = instruction(snapshot, &opcode)?;
            Some(Hover { range: opcode.mnemonic.range, markdown })
        }
        None => None,
    }
}

/// The documentation of a legal instruction; if it is illegal, that of its mnemonic.
fn instruction(snapshot: &Snapshot, opcode: &Opcode) -> Option<String> {
    let words = opcode.words();
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let module = Context::new(snapshot).module;
    match isa::resolve(&spelling, &module) {
        Resolution::Legal(instruction) => {
            let about = isa::doc::instruction(&spelling, &instruction, &module);
            let examples = comments::table(&instruction).map(|table| format!("\n\n{table}"));
            Some(about.trim_end().to_owned() + &examples.unwrap_or_default())
        }
        Resolution::Illegal(_) => isa::doc::mnemonic(&family(opcode)),
        Resolution::Unknown => other(opcode),
    }
}

/// The summary of an instruction that is not checked.
fn other(opcode: &Opcode) -> Option<String> {
    let words = opcode.words();
    let parts: Vec<&str> = std::iter::once(&*opcode.mnemonic.text).chain(words).collect();
    let other = isa::unchecked::find(&parts.join("."))?;
    Some(format!("**{}**\n\n{}\n\nRequires {}.", other.opcode, other.summary, other.since))
}

/// The name of the family that an opcode belongs to: its mnemonic, with the words behind it that are part of the name.
pub(crate) fn family(opcode: &Opcode) -> String {
    family_name(&opcode.mnemonic.text, &opcode.words()).to_owned()
}

/// The name of the family of a mnemonic with modifiers.
pub(crate) fn family_name<'m>(mnemonic: &'m str, words: &[&str]) -> &'m str {
    isa::opcode_of(&Spelling { mnemonic, modifiers: words }).unwrap_or(mnemonic)
}

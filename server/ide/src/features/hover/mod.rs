//! Hover at a position.

mod illegal;
mod launch;
mod operand;
mod symbol;
mod truth_table;

pub(crate) use illegal::error;

use diagnostics::Context;
use diagnostics::Snapshot;
use evaluation::comments;
use isa::{Resolution, Spelling};
use launch::launch_hover;
use std::ops::Range;
use symbol::symbol_hover;
use syntax::Opcode;

/// Documentation of the thing at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The byte range of the documented text.
    pub range: Range<usize>,
    /// What is wrong, as Markdown, at the place of its diagnostic. Clients that show diagnostics with the hover leave it out.
    pub error: Option<String>,
    /// The documentation, as Markdown.
    pub markdown: String,
    /// The topic of the page with more details.
    pub page: Option<String>,
}

impl Hover {
    /// Documentation without a page.
    pub(crate) fn new(range: Range<usize>, markdown: String) -> Self {
        Hover { range, error: None, markdown, page: None }
    }
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
        opcode_hover(self, offset)
            .or_else(|| operand::with_role(self, offset, symbol_hover(self, offset)))
            .or_else(|| launch_hover(self, offset))
    }
}

fn opcode_hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let opcode = snapshot.file.instruction_at(offset)?.opcode();
    let covers = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    let modifier =
        (0..opcode.modifiers.len()).find(|at| covers(&opcode.at(Some(*at))) && opcode.at(Some(*at)).start < offset);
    if modifier.is_none() && !covers(&opcode.mnemonic.range) {
        return None;
    }
    let range = opcode.at(modifier);
    let words = opcode.words();
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let context = Context::new(snapshot);
    let module = context.module;
    let resolution = isa::resolve(&spelling, &module);
    if let Resolution::Illegal(reasons) = &resolution
        && (modifier.is_none() || reasons.first().is_some_and(|reason| reason.at == modifier))
    {
        return illegal::hover(&spelling, (modifier, range), reasons, &context, &snapshot.settings);
    }
    let markdown = match (modifier, resolution) {
        (Some(at), _) => isa::doc::modifier(&family(&opcode), &opcode.modifiers[at].text)?,
        (None, Resolution::Legal(instruction)) => {
            let about = isa::doc::instruction(&spelling, &instruction, &module);
            let examples = comments::table(&instruction).map(|table| format!("\n\n{table}"));
            about.trim_end().to_owned() + &examples.unwrap_or_default()
        }
        (None, _) => unchecked(&opcode)?,
    };
    Some(Hover::new(range, markdown))
}

/// The summary of an instruction that is not checked.
fn unchecked(opcode: &Opcode) -> Option<String> {
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &opcode.words() };
    let other = isa::unchecked::find(&spelling.text())?;
    Some(format!("**{}**\n\n{}\n\nRequires {}.", other.opcode, other.summary, other.since))
}

/// The name of the family that an opcode belongs to: its mnemonic, with the words after it that are part of the name.
pub(crate) fn family(opcode: &Opcode) -> String {
    family_name(&opcode.mnemonic.text, &opcode.words()).to_owned()
}

/// The name of the family of a mnemonic with modifiers.
pub(crate) fn family_name<'m>(mnemonic: &'m str, words: &[&str]) -> &'m str {
    isa::opcode_of(&Spelling { mnemonic, modifiers: words }).unwrap_or(mnemonic)
}

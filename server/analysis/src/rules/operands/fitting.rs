//! Another type or vector size for an instruction whose operands agree with each other but not with it.
//!
//! Knows nothing of its own: whatever the tables offer and the checks accept is offered.

use super::Site;
use super::report::replace;
use crate::Fix;
use isa::types::Type;
use isa::{Resolution, Spelling};
use syntax::Instruction;

/// Fixes that replace one modifier, so that all operands fit as they are. The first that does is enough.
pub(super) fn fixes<'a>(site: &Site<'_, 'a>, instruction: &Instruction<'a>, code: &str) -> Option<Fix> {
    let words: Vec<&str> = match code {
        "operand-type" => Type::ALL.iter().map(|ty| ty.word()).collect(),
        "vector-size" => vec!["v2", "v4", "v8"],
        _ => return None,
    };
    let at = site.legal.at(if code == "vector-size" { "vec" } else { "type" })?;
    let mut modifiers = site.opcode.words();
    let written = modifiers[at];
    let fits = words.into_iter().filter(|word| *word != written).find(|word| {
        modifiers[at] = word;
        let spelling = Spelling { mnemonic: &site.opcode.mnemonic.text, modifiers: &modifiers };
        match isa::resolve(&spelling, &site.module) {
            Resolution::Legal(legal) => Site { legal: &legal, ..*site }.check(instruction, false).is_ok(),
            _ => false,
        }
    })?;
    Some(Fix { title: format!("Write `.{fits}`"), edits: vec![replace(site.opcode.at(Some(at)), format!(".{fits}"))] })
}

//! What may follow the words of an opcode.

use crate::sass::parts::{SassSlot, part};
use crate::sass::resolve::family;
use crate::sass::words::SCOPE;
use crate::sass::{ExtendedAddress, SassContext, SassResolution, families, named, resolve};

/// A modifier that may be next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SassCandidate {
    /// The words, without the dot before them.
    pub word: String,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Whether it is the size of a value.
    pub is_size: bool,
}

/// The mnemonics, each once.
pub fn mnemonics() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = families().iter().map(|family| family.name).collect();
    names.dedup();
    names
}

/// What may follow the finished words of an opcode, in the order of the rows. Without a known mnemonic, the mnemonics.
pub fn complete(mnemonic: &str, words: &[&str], given: SassContext) -> Vec<SassCandidate> {
    let known = mnemonics();
    if !known.contains(&mnemonic) {
        let offer = |name: &str| SassCandidate { word: name.to_owned(), summary: "an atomic", is_size: false };
        return known.into_iter().map(offer).collect();
    }
    let Some(family) = family(mnemonic, words, given).or_else(|| named(mnemonic)) else { return Vec::new() };
    let (mut last, mut op, mut at) = (None, None, 0);
    while at < words.len() {
        let Some((slot, count)) = part(words, at) else { return Vec::new() };
        if slot == SassSlot::Op {
            op = Some(words[at..at + count].join("."));
        }
        last = last.max(Some(slot));
        at += count;
    }
    let candidate = |word: &str, summary, is_size| SassCandidate { word: word.to_owned(), summary, is_size };
    let behind = |slot: SassSlot| last < Some(slot);
    let mut found = Vec::new();
    if behind(SassSlot::Extended) && family.extended != ExtendedAddress::Never {
        found.push(candidate("E", "an address of 64 bits", false));
    }
    let Some(op) = op else {
        if family.extended != ExtendedAddress::Always || last.is_some() {
            found.extend(family.ops().into_iter().map(|op| candidate(op, "an operation", false)));
        }
        return found;
    };
    if behind(SassSlot::Size) {
        let sizes = family.sizes(&op).into_iter().filter(|size| !size.name.is_empty());
        found.extend(sizes.map(|size| candidate(size.name, "a size", true)));
    }
    if family.scoped && behind(SassSlot::Strength) {
        found.extend(
            SCOPE
                .iter()
                .filter(|scope| **scope != "VC")
                .map(|scope| candidate(&format!("STRONG.{scope}"), "strength and scope", false)),
        );
    }
    found.retain(|candidate| {
        let words: Vec<&str> = words.iter().copied().chain(candidate.word.split('.')).collect();
        let scoped = family.scoped && !candidate.word.starts_with("STRONG");
        let tail: &[&str] = if scoped { &["STRONG", "GPU"] } else { &[] };
        let words: Vec<&str> = words.iter().chain(tail).copied().collect();
        !matches!(resolve(mnemonic, &words, given), SassResolution::Illegal(reason) if candidate.is_size && !reason.words.is_empty())
    });
    found
}

//! The rows: one file a mnemonic. See `form.rs` for the notation.
//!
//! A new family is one more file and its name in [`TEXTS`].

mod address;
mod async_reduction;
mod atom;
mod barrier;
mod fence;
mod ld_st;
pub(crate) mod lowering;
mod mbarrier;
mod multimem;
mod policy;
mod red;
mod warp;

use crate::form::Family;
use crate::reason::{Code, Edit, Fix, Reason};
use crate::resolve::Spelling;
use crate::vocabulary;
use std::sync::LazyLock;

const TEXTS: &[&[&str]] = &[
    &[atom::TEXT, red::TEXT, async_reduction::RED_ASYNC],
    &[multimem::LD_REDUCE, multimem::ST, multimem::RED, async_reduction::MULTIMEM_COPY, async_reduction::MULTIMEM_BULK],
    &[async_reduction::BULK, async_reduction::TENSOR],
    &[ld_st::LD, ld_st::ST, async_reduction::ST_ASYNC, async_reduction::ST_BULK],
    &[fence::FENCE, fence::PROXY, fence::MEMBAR, fence::MEMBAR_PROXY],
    &barrier::BAR,
    &barrier::BARRIER,
    &[barrier::GRID],
    &mbarrier::TEXTS,
    &[warp::REDUX, warp::MATCH, warp::VOTE, warp::ACTIVEMASK],
    &[policy::FRACTIONAL, policy::RANGE, policy::CVT, policy::APPLY, policy::DISCARD],
    &[address::CVTA, address::CVTA_TO, address::ISSPACEP, address::MAPA, address::GETCTARANK],
];

/// Mnemonics of which only some instructions have rows: nothing is said about the others.
const PARTLY: &[&str] = &["cp"];

static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| TEXTS.iter().copied().flatten().map(|text| Family::read(text)).collect());

/// Words that `ptxas` 13.5 takes in forms which no row says, for PTX 9.3 and later documents none of them: headers of CCCL 3.3 use them. An instruction
/// that has one of them is not spoken of.
const UNSPOKEN: &[&str] = &[
    "check_layout",
    "fabric::fabric",
    "fabric::generic",
    "generic::fabric",
    "layout::v0",
    "layout::v1",
    "multicast::cluster::32b",
    "override::global_address",
    "phase_type::conditional",
    "phase_type::primary",
    "sync_restrict::read",
    "sync_restrict::shared::cluster::read",
];

/// Whether nothing can be said of an instruction, although its mnemonic has rows.
pub(crate) fn is_unspoken(spelling: &Spelling) -> bool {
    let bulk = spelling.mnemonic == "applypriority" && spelling.modifiers.starts_with(&["async", "bulk"]);
    bulk || spelling.modifiers.iter().any(|word| UNSPOKEN.contains(word))
}

/// All families, those of one mnemonic together.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

/// What stands in the tables under an opcode.
pub(crate) enum Found {
    /// Its rows.
    Family(&'static Family),
    /// No rows, so nothing can be said.
    Nothing,
    /// No instruction: the mnemonic wants a word after it that is not there.
    Broken(Reason),
}

/// Looks up the opcode, the longest one that fits.
pub(crate) fn find(spelling: &Spelling) -> Found {
    let fitting = families().iter().filter(|family| begins(spelling, family.name) && family.is_meant(spelling));
    match fitting.max_by_key(|family| family.name.len()) {
        Some(family) => Found::Family(family),
        None => broken(spelling).map_or(Found::Nothing, Found::Broken),
    }
}

impl Family {
    /// Whether the spelling is of this family and not of one that it shares its opcode with.
    fn is_meant(&self, spelling: &Spelling) -> bool {
        self.only == 0 || spelling.modifiers.iter().any(|word| self.texts(self.only).any(|only| only == *word))
    }
}

/// The family of the longest opcode that a spelling begins with, though it may still become one that has no rows.
pub(crate) fn begun(spelling: &Spelling) -> Option<&'static Family> {
    families().iter().filter(|family| begins(spelling, family.name)).max_by_key(|family| family.name.len())
}

/// The opcodes of a mnemonic that consist of more than it: what may stand after its first dot, and the family.
pub(crate) fn continuations(mnemonic: &str) -> impl Iterator<Item = (&'static str, &'static Family)> {
    families().iter().filter_map(move |family| Some((family.name.strip_prefix(mnemonic)?.strip_prefix('.')?, family)))
}

fn begins(spelling: &Spelling, opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    parts.next() == Some(spelling.mnemonic)
        && parts.enumerate().all(|(at, part)| spelling.modifiers.get(at).is_some_and(|modifier| *modifier == part))
}

/// Why there is no opcode, if the mnemonic alone is ours.
fn broken(spelling: &Spelling) -> Option<Reason> {
    let words: Vec<&'static str> = continuations(spelling.mnemonic).map(|(word, _)| word).collect();
    if words.is_empty() || PARTLY.contains(&spelling.mnemonic) {
        return None;
    }
    let mnemonic = spelling.mnemonic;
    let list = words.iter().map(|word| format!("`{mnemonic}.{word}`")).collect::<Vec<_>>().join(", ");
    let later = spelling.modifiers.iter().position(|m| words.contains(m));
    let help =
        format!("the instructions are {list}; that word stands first, the other modifiers in any order after it");
    Some(match later.and_then(|at| Some((at, *words.iter().find(|w| **w == spelling.modifiers[at])?))) {
        Some((at, word)) => Reason {
            code: Code::IllegalModifier,
            at: Some(at),
            other: None,
            message: format!("`.{word}` belongs right after `{mnemonic}`"),
            help,
            fixes: vec![Fix {
                title: format!("Write `{mnemonic}.{word}`"),
                edits: vec![Edit::Insert { at: 0, word }, Edit::Remove { at }],
            }],
        },
        None => match spelling.modifiers.first() {
            Some(wrong) => Reason {
                code: Code::UnknownModifier,
                at: Some(0),
                other: None,
                message: format!("there is no instruction `{mnemonic}.{wrong}`"),
                help,
                fixes: typo(wrong, &words),
            },
            None => Reason {
                code: Code::MissingModifier,
                at: None,
                other: None,
                message: format!("`{mnemonic}` alone is no instruction"),
                help,
                fixes: Vec::new(),
            },
        },
    })
}

/// The fix for a typo in the second word of an opcode.
fn typo(wrong: &str, words: &[&'static str]) -> Vec<Fix> {
    let near = words.iter().filter(|word| vocabulary::edit_distance(wrong, word) <= 2);
    near.map(|word| Fix { title: format!("Write `.{word}`"), edits: vec![Edit::Replace { at: 0, word }] }).collect()
}

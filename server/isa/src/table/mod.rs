//! The rows: one file a mnemonic. See `notation.rs` for how they are written.
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
use crate::resolve::Spelling;
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

/// Words that `ptxas` 13.5 takes on every instruction and of every version, and that change nothing (`tests/evidence/names/without_effect.txt`): the names of
/// fields, of classes of numbers and of types that other instructions give a meaning. Where a row has the word, the row counts.
const WITHOUT_EFFECT: &[&str] = &[
    "acc::f16",
    "acc::f32",
    "b4x16_p64",
    "b6x16_p32",
    "b8x16",
    "box_dim",
    "element_stride",
    "elemtype",
    "fill_mode",
    "finite",
    "global_address",
    "global_dim",
    "global_stride",
    "infinite",
    "interleave_layout",
    "normal",
    "notanumber",
    "number",
    "rank",
    "subnormal",
    "swizzle_atomicity",
    "swizzle_mode",
];

/// Whether nothing can be said of an instruction, although its mnemonic has rows.
pub(crate) fn is_unspoken(spelling: &Spelling) -> bool {
    let bulk = spelling.mnemonic == "applypriority" && spelling.modifiers.starts_with(&["async", "bulk"]);
    let warp = matches!(spelling.mnemonic, "vote" | "match" | "redux") || spelling.modifiers.first() == Some(&"warp");
    let takes = |word: &str| UNSPOKEN.contains(&word) || warp && word == "no_membermask_overlap";
    bulk || spelling.modifiers.iter().any(|word| takes(word))
}

/// The same, also for a word without effect that the family itself does not have.
pub(crate) fn is_unspoken_in(family: &Family, spelling: &Spelling) -> bool {
    let without_effect = |word: &str| WITHOUT_EFFECT.contains(&word) && family.find(word).is_none();
    is_unspoken(spelling) || spelling.modifiers.iter().any(|word| without_effect(word))
}

/// All families, those of one mnemonic together.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

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
    &[warp::REDUX, warp::MATCH, warp::VOTE, warp::SHFL, warp::ACTIVEMASK],
    &[policy::FRACTIONAL, policy::RANGE, policy::CVT, policy::APPLY, policy::DISCARD],
    &[address::CVTA, address::CVTA_TO, address::ISSPACEP, address::MAPA, address::GETCTARANK],
];

static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| TEXTS.iter().copied().flatten().map(|text| Family::read(text)).collect());

/// All families, those of one mnemonic together.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

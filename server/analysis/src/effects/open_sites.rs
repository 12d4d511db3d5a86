//! The analysis of rules that ask which instructions nothing follows yet that settles them.

use crate::effects::{ForwardAnalysis, FunctionEffects, MemoryEffect, SiteSet};
use foldhash::HashMap;

/// The sites that some path reaches an instruction from without an effect that settles them.
pub struct OpenSites<'s, 'f, 'a, S> {
    /// The effects of the function.
    pub effects: &'s FunctionEffects<'f, 'a>,
    /// The number of the site of an instruction.
    pub sites: &'s HashMap<usize, usize>,
    /// Whether an effect of an instruction settles all sites before it.
    pub settles: S,
}

impl<S: Fn(usize, &MemoryEffect) -> bool> ForwardAnalysis for OpenSites<'_, '_, '_, S> {
    type State = SiteSet;

    fn entry(&self) -> SiteSet {
        SiteSet::default()
    }

    fn join(&self, state: &mut SiteSet, other: &SiteSet) -> bool {
        state.extend(other)
    }

    fn transfer(&self, at: usize, state: &mut SiteSet) {
        if self.effects.effects_in(at..at + 1).iter().any(|(_, effect)| (self.settles)(at, effect)) {
            *state = SiteSet::default();
        }
        if let Some(site) = self.sites.get(&at) {
            state.insert(*site);
        }
    }
}

//! When a kernel lets the next one begin, and when it has waited for the one before (PTX ISA, `griddepcontrol`).

use std::collections::BTreeSet;

/// What the CTAs of a kernel have done so far.
#[derive(Clone, Debug, Default, Hash)]
pub struct DependentLaunch {
    /// Whether a thread has waited for the earlier kernel.
    pub has_waited: bool,
    /// Whether a CTA has waited for the earlier kernel before it has let the next one begin: that one begins later, then.
    pub has_waited_first: bool,
    /// The CTAs that have let the next kernel begin, by the slots in which they are.
    launched: BTreeSet<u32>,
}

impl DependentLaunch {
    /// A thread of the CTA in a slot has waited.
    pub fn wait(&mut self, slot: u32) {
        self.has_waited = true;
        self.has_waited_first |= !self.launched.contains(&slot);
    }

    /// A thread of the CTA in a slot lets the next kernel begin.
    pub fn launch(&mut self, slot: u32) {
        self.launched.insert(slot);
    }

    /// Another CTA comes into a slot.
    pub fn end_cta(&mut self, slot: u32) {
        self.launched.remove(&slot);
    }
}

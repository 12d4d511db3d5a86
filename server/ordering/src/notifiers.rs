//! The numbers of the agents that notify mbarriers.

use crate::clock::Agent;
use std::collections::HashMap;

/// The agents that notify mbarriers for threads: each has a clock of its own.
#[derive(Clone, Debug, Default)]
pub struct Notifiers {
    /// Their numbers, by the thread and the mbarrier (the slot of its CTA and its offset).
    pub numbers: HashMap<(Agent, usize, u32), u32>,
    /// The thread and the epoch of each, by its number.
    pub epochs: Vec<(Agent, u32)>,
}

//! Whether an execution shows what a search has found: its way is repeated.

use crate::search::replay::{Repeated, replay, replay_with_late_fences};
use crate::search::state_graph::StateOrigin;
use crate::search::state_search::StateSearch;
use machine::state::Machine;
use ordering::SequentialFenceOrder;
use program::launch::kernel_launch::ThreadId;

impl<'p> StateSearch<'_, 'p> {
    /// Repeats the way to a state, and on until `is_there`. If orders of `fence.sc` are not explored, it is repeated with one that allows what was
    /// found; else there is no result.
    pub fn repeat(
        &self,
        origin: Option<&StateOrigin>,
        thread: Option<ThreadId>,
        is_there: &dyn Fn(&Machine) -> bool,
    ) -> Option<Repeated<'p>> {
        let way: Vec<_> = self.graph.way(origin).into_iter().cloned().collect();
        if self.fences != SequentialFenceOrder::Implied {
            return Some(replay((self.begin_traced)(self.fences), &way, self.shared.clone()));
        }
        let is_confirmed = |repeated: &Repeated| repeated.is_possible && is_there(&repeated.machine);
        let early = replay((self.begin_traced)(SequentialFenceOrder::Executed), &way, self.shared.clone());
        if is_confirmed(&early) {
            return Some(early);
        }
        let machine = (self.begin_traced)(SequentialFenceOrder::Explored);
        let late = replay_with_late_fences(machine, &way, self.shared.clone(), thread, is_there);
        is_confirmed(&late).then_some(late)
    }
}

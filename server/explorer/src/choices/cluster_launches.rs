//! Which clusters begin, of a launch whose threads cancel others that have not begun (`clusterlaunchcontrol.try_cancel`).
//!
//! Nothing orders the begin of a cluster after what others do, so one that is not cancelled may as well begin first. Before anything else each cluster
//! begins or is withheld, and withheld ones are there for threads to cancel: any of them, or none, as an attempt may fail. What is found on the way
//! is true of an execution in which the withheld ones that are left begin afterwards; but whether it comes to an end is decided by the executions
//! in which none is left.

use crate::choices::sharing::SharedLocations;
use crate::choices::transition::{ClusterLaunch, Transition};
use machine::state::Machine;
use machine::threads::executor::Executor;
use program::analysis::independent::cancels_launches;
use program::memory::location::{LocationKey, RacedMemory};

/// The location that stands for the clusters that can be cancelled.
const LAUNCHES: LocationKey = (RacedMemory::Global(usize::MAX), 1);

/// Begins all clusters, or has it chosen which of them begin.
pub fn begin_clusters(machine: &mut Machine<'_>) {
    if cancels_launches(machine.program) && machine.launch.beside.is_empty() {
        machine.explored.withheld = Some(Vec::new());
    } else {
        machine.begin_ctas();
    }
}

/// What can become of the next cluster: the first one that begins comes last, to be explored first. One of all has to begin.
pub fn cluster_launches(machine: &Machine<'_>) -> Vec<Transition> {
    let is_last = machine.queue.next + 1 == machine.queue.end && machine.warps.is_empty();
    let all = [ClusterLaunch::Withheld, ClusterLaunch::Begun];
    all.into_iter().skip(usize::from(is_last)).map(Transition::Launch).collect()
}

/// The next cluster begins or is withheld.
pub fn launch_cluster(machine: &mut Machine<'_>, launch: ClusterLaunch) {
    match launch {
        ClusterLaunch::Begun => machine.begin_cluster(machine.queue.next),
        ClusterLaunch::Withheld => {
            machine.explored.withheld.get_or_insert_default().push(machine.queue.next);
            machine.queue.cancelled.push(machine.queue.next);
        }
    }
    machine.queue.next += 1;
}

/// The ways in which an attempt to cancel a cluster can end; `None` if it can only fail.
pub fn cancellations(
    executor: &Executor<'_, '_>,
    lane: usize,
    shared: &mut SharedLocations,
) -> Option<Vec<Vec<usize>>> {
    shared.connect(LAUNCHES, executor.agent(lane));
    let withheld = executor.machine.explored.withheld.as_ref().filter(|withheld| !withheld.is_empty())?;
    Some(vec![(0..=withheld.len()).collect()])
}

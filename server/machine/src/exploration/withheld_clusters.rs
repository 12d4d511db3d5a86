//! Clusters that an exploration withholds, so that threads can cancel them (`clusterlaunchcontrol.try_cancel`).

use crate::state::Machine;

/// Whether it has yet to be chosen whether the next cluster begins.
pub fn chooses_clusters(machine: &Machine<'_>) -> bool {
    machine.explored.withheld.is_some() && machine.queue.next < machine.queue.end
}

/// Whether clusters have neither begun nor been cancelled.
pub fn withholds_clusters(machine: &Machine<'_>) -> bool {
    chooses_clusters(machine) || machine.explored.withheld.as_ref().is_some_and(|withheld| !withheld.is_empty())
}

/// Cancels the withheld cluster that is chosen; returns the position of its first CTA.
pub fn cancel_withheld_cluster(machine: &mut Machine<'_>) -> Option<[u32; 3]> {
    let (chosen, withheld) = (*machine.explored.chosen_messages.first()?, machine.explored.withheld.as_mut()?);
    let cluster = (chosen < withheld.len()).then(|| withheld.remove(chosen))?;
    Some(machine.first_position(cluster))
}

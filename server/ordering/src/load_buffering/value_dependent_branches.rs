//! Branches that strong reads may decide about, and that threads have come to: a write in the first round of a loop does not depend on what decides
//! whether there is a second one.

use crate::Races;
use crate::clock::Agent;
use crate::load_buffering::deciders::Deciders;
use program::problem::CodePlace;
use std::collections::BTreeSet;

/// A thread executes an instruction, which may lead it elsewhere because of what it has read.
pub fn note_value_dependent_branch(races: &mut Races, agent: Agent, place: CodePlace) {
    let table = races.reads.decided.table().clone();
    let Some(reads) = table.branches.as_ref().and_then(|branches| branches.get(&place)) else { return };
    let thread = (agent.warp, agent.lane);
    let executed = races.reads.earlier.get(&thread).into_iter().flatten().filter_map(|read| read.place);
    for read in executed.filter(|read| reads.contains(read)) {
        races.reads.decided.branched.entry(thread).or_default().insert(read);
    }
}

/// The guard of an instruction is false for a thread.
pub fn note_guarded(races: &mut Races, agent: Agent, place: CodePlace) {
    if place.function == 0 && races.reads.decided.table().constant_guards.contains(&place.instruction) {
        races.log.guarded.insert(((agent.warp, agent.lane), place));
    }
}

/// The reads that may have decided about branches of a thread.
pub fn branched_on(races: &Races, agent: Agent) -> Option<&BTreeSet<CodePlace>> {
    races.reads.decided.branched.get(&(agent.warp, agent.lane))
}

/// The reads that may have decided about a write of a thread that it executes now. Those that decide by branches alone, and not about one that
/// the thread has come to, decide about later writes.
pub fn deciding(races: &Races, agent: Agent, deciders: &Deciders) -> BTreeSet<CodePlace> {
    let is_followed = races.reads.decided.table().branches.is_some();
    let has_branched = |read: &CodePlace| branched_on(races, agent).is_some_and(|reads| reads.contains(read));
    let decides = |read: &&CodePlace| !is_followed || deciders.redirecting.contains(read) || has_branched(read);
    deciders.reads.iter().filter(decides).copied().collect()
}

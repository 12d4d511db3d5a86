//! Counts that are smaller than the number of arrivals.

use super::MbarrierUses;
use crate::dataflow::{LaneCondition, MbarrierOperation, Uniformity};
use crate::flow::{BasicBlocks, Flow, PostDominators};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// The maximum number of branches to visit per mbarrier.
const STEP_BUDGET: usize = 2_000;

/// Checks every mbarrier that one thread initialises for one arrival.
pub(super) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
    let inits: Vec<_> = uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init).collect();
    let is_single =
        |at: usize| flow.instruction(at).values.get(1).and_then(|count| flow.constant(count, at)) == Some(1);
    if !inits.iter().any(|init| init.fixed().is_some() && is_single(init.at)) {
        return;
    }
    let Some((blocks, post_dominators)) = flow.blocks().zip(PostDominators::new(flow)) else { return };
    let mut conditions = Conditions { flow, blocks, post_dominators, uniformity: Uniformity::new(flow) };
    for init in &inits {
        let others = inits.iter().filter(|other| !other.is_distinct(init)).count();
        if init.fixed().is_none() || !is_single(init.at) || others > 1 {
            continue;
        }
        // One thread of several initialises it.
        if !conditions.of(init.at).is_some_and(|found| found.contains(&LaneCondition::Divergent)) {
            continue;
        }
        let arrival = uses.uses.iter().find(|one| {
            matches!(one.operation, MbarrierOperation::Arrive(_))
                && one.fixed() == init.fixed()
                && conditions
                    .of(one.at)
                    .is_some_and(|found| found.iter().all(|condition| *condition == LaneCondition::Uniform))
        });
        let Some(arrival) = arrival else { continue };
        let message = "all lanes of a warp arrive at an mbarrier that is initialised for 1 arrival";
        let range = flow.instruction(arrival.at).opcode.range.clone();
        let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message)
            .help("initialise it with the number of threads that arrive, or let one thread arrive");
        diagnostics.push(found.related(flow.instruction(init.at).range.clone(), "the count is 1"));
    }
}

/// The conditions under which instructions execute.
struct Conditions<'f, 'a> {
    flow: &'f Flow<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
    uniformity: Uniformity<'f, 'a>,
}

impl Conditions<'_, '_> {
    /// The conditions of the guard of an instruction, and of all branches that decide whether it executes.
    fn of(&mut self, at: usize) -> Option<Vec<LaneCondition>> {
        let mut budget = STEP_BUDGET;
        let deciding = self.post_dominators.all_deciding(self.blocks.of(at), self.blocks, &mut budget)?;
        let mut found = vec![self.uniformity.guard(at)];
        for block in deciding {
            found.push(self.uniformity.guard(self.blocks.end(block, self.flow.len()) - 1));
        }
        Some(found)
    }
}

//! Counts that differ from the number of arrivals.

use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::{LaneChoice, LaneCondition, MbarrierOperation};
use analysis::values::{FunctionValues, ThreadRoles};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// The number of lanes of a warp.
const WARP_SIZE: i64 = 32;

/// Checks every mbarrier that one thread initializes for a constant number of arrivals.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let inits: Vec<_> = uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init).collect();
    let count =
        |at: usize| flow.instruction(at).values.get(1).and_then(|count| flow.constant(count, at)).unwrap_or_default();
    if !inits.iter().any(|init| init.fixed().is_some() && count(init.at) > 0) {
        return;
    }
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    for init in &inits {
        let others = inits.iter().filter(|other| !other.is_distinct(init)).count();
        if init.fixed().is_none() || others > 1 {
            continue;
        }
        if count(init.at) > 0 {
            diagnostics.extend(missing_arrivals(uses, init, count(init.at), &mut lanes));
        }
        if !(1..WARP_SIZE).contains(&count(init.at)) {
            continue;
        }
        // One thread of several initializes it.
        if !lanes.conditions(init.at).is_some_and(|found| found.contains(&LaneCondition::Divergent)) {
            continue;
        }
        // A row of threads may end within a warp, whose lanes then differ in `%tid.y`.
        let is_of_whole_warps =
            flow.cta_shape().has_rows_of_warps() || matches!(flow.thread_dimensions(), [_, false, false]);
        let arrival = uses.uses.iter().find(|one| {
            matches!(one.operation, MbarrierOperation::Arrive(_))
                && one.fixed() == init.fixed()
                && lanes
                    .conditions(one.at)
                    .filter(|found| is_of_whole_warps || found.len() == 1 && !flow.is_guarded(one.at))
                    .is_some_and(|found| found.iter().all(|condition| *condition == LaneCondition::Uniform))
        });
        let Some(arrival) = arrival else { continue };
        let arrivals = match count(init.at) {
            1 => "1 arrival".to_owned(),
            number => format!("{number} arrivals"),
        };
        let message = format!("all lanes of a warp arrive at an mbarrier that is initialized for {arrivals}");
        let range = flow.instruction(arrival.at).opcode.range();
        let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message)
            .help("initialize it with the number of threads that arrive, or let one thread arrive");
        diagnostics
            .push(found.related(flow.instruction(init.at).range.clone(), format!("the count is {}", count(init.at))));
    }
}

/// A count that is larger than the arrivals of the only threads that arrive, each of which is one thread of the CTA. Bytes that complete are no arrivals, nor are those of `cp.async` without `.noinc`.
fn missing_arrivals(uses: &MbarrierUses, init: &MbarrierUse, count: i64, lanes: &mut LaneChoice) -> Option<Diagnostic> {
    let flow = uses.effects.flow;
    let (roles, dimensions) = (ThreadRoles::new(flow)?, flow.thread_dimensions());
    let mut arrivals = 0;
    let mut is_awaited = false;
    for one in uses.uses.iter().filter(|one| !one.is_distinct(init)) {
        match one.operation {
            MbarrierOperation::Arrive(arrival) => {
                // In a loop, one thread may arrive several times in a phase.
                let is_repeated = (one.at..flow.len()).any(|at| flow.target(at).is_some_and(|top| top <= one.at));
                let is_one = roles.of(one.at).is_one_thread(dimensions) && !flow.is_guarded(one.at);
                let has_count = flow.instruction(one.at).values.len() > if arrival.expects { 3 } else { 2 };
                if one.fixed().is_none() || arrival.cluster || !is_one || is_repeated || has_count {
                    return None;
                }
                arrivals += 1;
            }
            MbarrierOperation::AsyncArrive if !completes_bytes(flow, one.at) => return None,
            MbarrierOperation::Test(..) | MbarrierOperation::Try(..) => is_awaited |= one.fixed().is_some(),
            _ if one.fixed().is_none() => return None,
            _ => {}
        }
    }
    let is_init_of_one = lanes.conditions(init.at)?.contains(&LaneCondition::Divergent);
    if arrivals >= count || !is_awaited || !is_init_of_one {
        return None;
    }
    let expected = if count == 1 { "1 arrival".to_owned() } else { format!("{count} arrivals") };
    let found = if arrivals == 0 { "none".to_owned() } else { arrivals.to_string() };
    let message = format!("mbarrier is initialized for {expected}, but has {found}: the phase never completes");
    let range = flow.instruction(init.at).opcode.range();
    Some(
        Diagnostic::new(&MBARRIER_PROTOCOL, range, message)
            .help("initialize it with the number of threads that arrive, or write `mbarrier.arrive`"),
    )
}

/// Whether an asynchronous operation on an mbarrier makes up for no arrival: it completes bytes, or it is counted on top of the count.
fn completes_bytes(flow: &FunctionValues, at: usize) -> bool {
    let is_counted = flow.mnemonic(at) == "cp" && flow.has(at, "arrive") && !flow.has(at, "noinc");
    flow.has(at, "mbarrier::complete_tx::bytes") || is_counted
}

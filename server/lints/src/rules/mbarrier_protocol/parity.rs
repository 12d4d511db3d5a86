//! Waits in a loop for a parity that never changes.

use super::{MbarrierUse, MbarrierUses};
use crate::dataflow::MbarrierOperation;
use crate::flow::{BasicBlocks, Definition, DefinitionSite, Flow, OperandValue, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::HashSet;

/// The maximum number of blocks to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Checks every wait for a parity in a loop that also arrives at the mbarrier.
pub(super) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
    let is_wait = |one: &&MbarrierUse| is_parity_wait(flow, one);
    if uses.has_calls || !uses.uses.iter().any(|one| is_wait(&one)) {
        return;
    }
    let Some(loops) = flow.blocks().and_then(Loops::new) else { return };
    let mut reported = HashSet::default();
    for wait in uses.uses.iter().filter(is_wait) {
        let same: Vec<_> = uses.uses.iter().filter(|one| !one.is_distinct(wait)).collect();
        let arrives = |one: &&&MbarrierUse| matches!(one.operation, MbarrierOperation::Arrive(_));
        // The innermost loop with an arrival; a loop without one only repeats the wait.
        let Some(body) =
            loops.around(wait.at).find(|body| same.iter().filter(arrives).any(|one| body.contains(one.at)))
        else {
            continue;
        };
        let inside: Vec<_> = same.into_iter().filter(|one| body.contains(one.at)).collect();
        let mut arrivals = inside.iter().filter(arrives);
        let (Some(arrival), None) = (arrivals.next(), arrivals.next()) else { continue };
        let is_plain = inside.iter().all(|one| {
            one.is_same(wait) && !matches!(one.operation, MbarrierOperation::Init | MbarrierOperation::Invalidate)
        });
        let once = loops.around(arrival.at).next().is_some_and(|inner| inner.header == body.header);
        let waits = inside.iter().filter(|one| is_parity_wait(flow, one));
        let parities: HashSet<_> = waits.map(|one| parity(flow, one, body)).collect();
        if !is_plain || !once || !is_fixed(wait, body) || parities.len() != 1 || parities.contains(&None) {
            continue;
        }
        if reported.insert(body.header) {
            let instruction = flow.instruction(wait.at);
            let range =
                instruction.operands.get(2).map_or(instruction.range.clone(), |parity| parity.token.range.clone());
            let message = "parity of the wait is the same in every iteration, but the phase changes with every arrival";
            let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message);
            let found = found.help("keep the parity in a register, and invert it after every phase");
            diagnostics.push(found.related(flow.instruction(arrival.at).range.clone(), "the arrival in the loop"));
        }
    }
}

fn is_parity_wait(flow: &Flow, one: &MbarrierUse) -> bool {
    matches!(one.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..)) && flow.has(one.at, "parity")
}

/// A parity that does not change in a loop.
#[derive(PartialEq, Eq, Hash)]
enum FixedParity {
    Number(i64),
    Outside(Definition),
}

/// The parity of a wait, if it does not change in a loop.
fn parity(flow: &Flow, wait: &MbarrierUse, body: &LoopBody) -> Option<FixedParity> {
    let value = flow.instruction(wait.at).values.get(2)?;
    if let Some(number) = flow.constant(value, wait.at) {
        return Some(FixedParity::Number(number));
    }
    let OperandValue::Register(register) = value else { return None };
    let definition = flow.reaching(*register, wait.at);
    body.is_outside(definition).then_some(FixedParity::Outside(definition))
}

/// Whether the mbarrier is the same in all iterations.
fn is_fixed(wait: &MbarrierUse, body: &LoopBody) -> bool {
    wait.fixed().is_some()
        || wait.address.is_some_and(|address| match address.anchor.0 {
            Root::Value(definition) => body.is_outside(definition),
            Root::Variable(_) | Root::Parameter(..) => true,
            Root::Zero => false,
        })
}

/// The natural loops of a function, the innermost first.
struct Loops<'b> {
    bodies: Vec<LoopBody<'b>>,
}

/// The blocks of a loop.
struct LoopBody<'b> {
    blocks: &'b BasicBlocks,
    header: usize,
    members: HashSet<usize>,
}

impl<'b> Loops<'b> {
    /// `None` if there are too many.
    fn new(blocks: &'b BasicBlocks) -> Option<Self> {
        let mut bodies: Vec<LoopBody> = Vec::new();
        let mut budget = STEP_BUDGET;
        let back_edges = (0..blocks.len()).filter(|block| blocks.is_reachable(*block)).flat_map(|block| {
            blocks.successors(block).filter(move |next| blocks.dominates(*next, block)).map(move |next| (block, next))
        });
        for (latch, header) in back_edges {
            let known = bodies.iter().position(|body| body.header == header);
            let place = known.unwrap_or_else(|| {
                bodies.push(LoopBody { blocks, header, members: HashSet::from_iter([header]) });
                bodies.len() - 1
            });
            let mut worklist = vec![latch];
            while let Some(block) = worklist.pop() {
                budget = budget.checked_sub(1)?;
                if bodies[place].members.insert(block) {
                    worklist.extend(blocks.predecessors(block));
                }
            }
        }
        bodies.sort_by_key(|body| body.members.len());
        Some(Loops { bodies })
    }

    /// The loops around an instruction, the innermost first.
    fn around(&self, at: usize) -> impl Iterator<Item = &LoopBody<'b>> {
        self.bodies.iter().filter(move |body| body.contains(at))
    }
}

impl LoopBody<'_> {
    fn contains(&self, at: usize) -> bool {
        self.members.contains(&self.blocks.of(at))
    }

    /// Whether a value is defined before the loop.
    fn is_outside(&self, definition: Definition) -> bool {
        match definition.site {
            DefinitionSite::Entry => true,
            DefinitionSite::Instruction(at) | DefinitionSite::Guarded(at) => !self.contains(at),
            DefinitionSite::Merge(block) => !self.members.contains(&block),
            DefinitionSite::Unknown(_) => false,
        }
    }
}

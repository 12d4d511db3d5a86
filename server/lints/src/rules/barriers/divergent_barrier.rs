//! `divergent-barrier` and `maybe-divergent-barrier`: instructions that all lanes of a warp must execute, under a condition that differs
//! between the lanes.

use analysis::effects::{FunctionEffects, LaneCondition, Trigger, Uniformity};
use analysis::values::{BasicBlocks, DefinitionSite, FunctionValues, OperandValue, PostDominators};
use diagnostics::Diagnostic;
use diagnostics::registry::{DIVERGENT_BARRIER, MAYBE_DIVERGENT_BARRIER};
use foldhash::{HashMap, HashSet};

/// The maximum number of comparisons of a condition, and of copies of a bound.
const MAX_TERMS: usize = 4;

/// The number of threads of a warp.
const WARP: i64 = 32;

/// The maximum number of branches to visit per function.
const STEP_BUDGET: usize = 20_000;

/// Checks every aligned instruction.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let flow = effects.flow;
    if !effects.triggers.has(Trigger::BARRIER | Trigger::CLUSTER | Trigger::ASYNC) || flow.has_broken_statement() {
        return;
    }
    let uniformity = Uniformity::new(flow);
    let mut check = BarrierCheck { flow, uniformity, branches: HashMap::default(), budget: STEP_BUDGET };
    let mut reported = HashSet::default();
    let mut of_blocks = HashMap::default();
    let Some((blocks, post_dominators)) = flow.blocks().zip(PostDominators::new(flow)) else { return };
    for at in (0..flow.len()).filter(|at| is_aligned(flow, *at)) {
        let guard = match check.uniformity.guard(at) {
            LaneCondition::Divergent => Some((at, Divergence::Certain)),
            LaneCondition::Bounded => Some((at, Divergence::Bounded)),
            LaneCondition::Uniform | LaneCondition::Unknown => None,
        };
        let block = blocks.of(at);
        let found = guard.or_else(|| {
            *of_blocks.entry(block).or_insert_with(|| check.deciding_branch(block, blocks, &post_dominators))
        });
        let is_group = |divergence| divergence >= Divergence::Bounded && has_computed_count(flow, at);
        let found = found.filter(|(_, divergence)| !is_group(*divergence));
        // One report for each branch.
        if let Some((branch, divergence)) = found.filter(|(branch, _)| reported.insert(*branch)) {
            diagnostics.push(diagnostic(flow, at, branch, divergence));
        }
    }
}

/// How certain it is that the lanes diverge, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Divergence {
    /// Some lanes of a warp execute the instruction, and others do not.
    Certain,
    /// The others have exited.
    Exited,
    /// The bound may be a multiple of the size of a warp.
    Bounded,
    /// It may, and the others have exited.
    BoundedExit,
}

struct BarrierCheck<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    uniformity: Uniformity<'f, 'a>,
    /// The divergence at the end of the visited blocks.
    branches: HashMap<usize, Option<Divergence>>,
    /// The number of branches that may still be visited.
    budget: usize,
}

impl BarrierCheck<'_, '_> {
    /// The branch with the most certain divergence that decides whether a block executes.
    fn deciding_branch(
        &mut self,
        block: usize,
        blocks: &BasicBlocks,
        post_dominators: &PostDominators,
    ) -> Option<(usize, Divergence)> {
        let mut found = None;
        for deciding in post_dominators.all_deciding(block, blocks, &mut self.budget)? {
            let branch = blocks.end(deciding, self.flow.len()) - 1;
            let divergence = match self.branches.get(&deciding) {
                Some(known) => *known,
                None => {
                    let divergence = self.divergence(branch, post_dominators.join(deciding), blocks);
                    self.branches.insert(deciding, divergence);
                    divergence
                }
            };
            // A thread that exits early because it has no element is common, and does no harm. A loop that repeats the barrier is not that.
            let is_early_exit = divergence == Some(Divergence::BoundedExit) && !blocks.dominates(block, deciding);
            let divergence = divergence.filter(|_| !is_early_exit);
            let candidate = divergence.map(|divergence| (divergence, branch));
            found = [found, candidate].into_iter().flatten().min();
        }
        found.map(|(divergence, branch)| (branch, divergence))
    }

    fn divergence(&mut self, branch: usize, join: Option<usize>, blocks: &BasicBlocks) -> Option<Divergence> {
        let exits = self.flow.is_entry() && join.is_none_or(|join| self.only_returns(join, blocks));
        match self.uniformity.guard(branch) {
            LaneCondition::Divergent if exits => Some(Divergence::Exited),
            LaneCondition::Divergent => Some(Divergence::Certain),
            LaneCondition::Bounded if exits && !has_plain_bound(self.flow, branch) => None,
            LaneCondition::Bounded if exits => Some(Divergence::BoundedExit),
            LaneCondition::Bounded => Some(Divergence::Bounded),
            _ => None,
        }
    }

    /// Whether a block does nothing but return.
    fn only_returns(&self, block: usize, blocks: &BasicBlocks) -> bool {
        matches!(self.flow.mnemonic(blocks.start(block)), "ret" | "exit") && !self.flow.is_guarded(blocks.start(block))
    }
}

/// Whether each comparison of a condition is with a parameter, a value in memory or a number that is not of whole warps. Any other bound may be
/// rounded up to whole warps.
fn has_plain_bound(flow: &FunctionValues, branch: usize) -> bool {
    let mut terms = Vec::from_iter(flow.guard(branch).map(|(guard, _)| (guard, branch)));
    for _ in 0..MAX_TERMS {
        let Some((OperandValue::Register(term), at)) = terms.pop() else { return false };
        let DefinitionSite::Instruction(writer) = flow.reaching(term, at).site else { return false };
        let instruction = flow.instruction(writer);
        match flow.mnemonic(writer) {
            "and" | "or" | "not" => terms.extend(instruction.values.iter().skip(1).map(|term| (term.clone(), writer))),
            "setp" if instruction.values.len() == 3 => {
                if !instruction.values.iter().skip(1).any(|bound| is_plain_bound(flow, bound, writer)) {
                    return false;
                }
            }
            _ => return false,
        }
        if terms.is_empty() {
            return true;
        }
    }
    false
}

/// Whether a value is a copy of what is loaded, or a number that is not of whole warps.
fn is_plain_bound(flow: &FunctionValues, value: &OperandValue, at: usize) -> bool {
    if let Some(number) = flow.constant(value, at) {
        return number % WARP != 0;
    }
    let (mut value, mut at) = (value.clone(), at);
    for _ in 0..MAX_TERMS {
        let OperandValue::Register(register) = value else { return false };
        let DefinitionSite::Instruction(writer) = flow.reaching(register, at).site else { return false };
        match (flow.mnemonic(writer), flow.instruction(writer).values.get(1)) {
            ("ld" | "ldu", _) => return true,
            ("mov" | "cvt", Some(from)) => (value, at) = (from.clone(), writer),
            _ => return false,
        }
    }
    false
}

/// Whether all lanes of a warp must execute an instruction together.
fn is_aligned(flow: &FunctionValues, at: usize) -> bool {
    match flow.mnemonic(at) {
        "bar" => !flow.has(at, "warp"),
        "barrier" | "wgmma" | "wmma" | "mma" | "setmaxnreg" | "tcgen05" | "ldmatrix" | "stmatrix" | "movmatrix"
        | "tensormap" => flow.has(at, "aligned"),
        _ => false,
    }
}

/// Whether a barrier has a number of threads that is computed. It is for a group of whole warps that the kernel forms when it runs, as NCCL does, and
/// a bound around the barrier is the group's.
fn has_computed_count(flow: &FunctionValues, at: usize) -> bool {
    let is_barrier = matches!(flow.mnemonic(at), "bar" | "barrier") && (flow.has(at, "sync") || flow.has(at, "arrive"));
    is_barrier && flow.instruction(at).values.get(1).is_some_and(|count| flow.constant(count, at).is_none())
}

fn diagnostic(flow: &FunctionValues, at: usize, branch: usize, divergence: Divergence) -> Diagnostic {
    let instruction = flow.instruction(at);
    let opcode = instruction.opcode.mnemonic();
    let words = instruction.opcode.words();
    let name = words.iter().take(1).fold(opcode.to_string(), |name, word| format!("{name}.{word}"));
    let (rule, message) = match divergence {
        Divergence::Certain => {
            (&DIVERGENT_BARRIER, format!("`{name}` is executed by some lanes of a warp and not by others"))
        }
        Divergence::Exited => {
            (&MAYBE_DIVERGENT_BARRIER, format!("`{name}` is executed after some lanes of a warp have exited"))
        }
        Divergence::Bounded | Divergence::BoundedExit => (
            &MAYBE_DIVERGENT_BARRIER,
            format!("`{name}` is under a condition that may differ between the lanes of a warp"),
        ),
    };
    let help = match flow.mnemonic(at) {
        "bar" | "barrier" if !flow.has(at, "cluster") => {
            "execute it in all lanes of the warp, or write `barrier` without `.aligned`"
        }
        "barrier" => "execute it in all lanes of the warp, or write it without `.aligned`",
        _ => "execute it in all lanes of the warp",
    };
    let found = Diagnostic::new(rule, instruction.opcode.range(), message).help(help);
    match branch == at {
        true => found,
        false => {
            found.related(flow.instruction(branch).range.clone(), "the condition of this branch depends on the lane")
        }
    }
}

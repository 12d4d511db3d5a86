//! What `check` says about the orders of a kernel: those that it does not need, and those that would repair it.

use super::question::{CheckQuestion, KernelVerdict};
use super::stream::StreamKernel;
use super::{CHECK_INSTRUCTIONS, PreparedKernel, RunArguments};
use diagnostics::Context;
use emulator::machine::{FoundProblem, MachineAction, ProblemKind, RaceCause};
use evaluation::kernel::Kernel;
use evaluation::kernel::order_changes::{OrderChange, OrderSite, launch_scope, order_sites, with_edits};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The most kernels that a search for a repair checks.
const MAX_TRIES: usize = 800;

/// The changes that repair a kernel.
pub type KernelRepair = Vec<(OrderSite, OrderChange)>;

/// What happens with weaker orders of an instruction.
pub struct OrderNeed {
    site: OrderSite,
    /// The weakest change with which the kernel is still proved; `None` if there is none.
    enough: Option<OrderChange>,
    /// The weakest change with which it is refuted, if there is one.
    breaking: Option<(OrderChange, FirstProblem)>,
}

/// The code of a problem and its line; 0 if it has none.
type FirstProblem = (String, usize);

/// What is known about a changed kernel.
enum ChangedKernel {
    Proved,
    /// The first problem.
    Refuted(FirstProblem),
    /// It is illegal, or a bound was reached.
    Undecided,
}

/// What is asked about changed kernels.
#[derive(Clone, Copy)]
pub struct OrderSearch<'s> {
    /// The question.
    pub question: &'s CheckQuestion<'s>,
    /// The kernels as they are.
    pub prepared: &'s PreparedKernel,
    /// How they are launched.
    pub arguments: &'s RunArguments,
}

/// Tries weaker orders of each instruction, one at a time, the weakest first, until one suffices.
pub fn needs(search: OrderSearch) -> Vec<OrderNeed> {
    let prepared = search.prepared;
    let text = prepared.snapshot.file.text().to_string();
    let module = Context::new(&prepared.snapshot).module;
    let mut needs = Vec::new();
    for site in all_sites(prepared).into_iter().filter(OrderSite::is_ordering) {
        let mut need = OrderNeed { site, enough: None, breaking: None };
        for change in need.site.weaker(&text, &module) {
            match verdict(search, &text, &[&change]) {
                ChangedKernel::Proved => {
                    need.enough = Some(change);
                    break;
                }
                ChangedKernel::Refuted(problem) if need.breaking.is_none() => need.breaking = Some((change, problem)),
                _ => {}
            }
        }
        if need.enough.is_some() || need.breaking.is_some() {
            needs.push(need);
        }
    }
    needs
}

/// The weakest changes with which the kernel is proved: of one instruction, else of two. `None` if there are none.
pub fn repair(search: OrderSearch, problems: &[(usize, FoundProblem)]) -> Option<KernelRepair> {
    let prepared = search.prepared;
    let stream = prepared.stream();
    if problems.iter().any(|(number, problem)| is_of_tensor_map(stream[*number].kernel, problem)) {
        return None;
    }
    let text = prepared.snapshot.file.text().to_string();
    let module = Context::new(&prepared.snapshot).module;
    let scopes = prepared.stream().into_iter().map(|one| launch_scope(one.launch));
    let scope = scopes.max().unwrap_or_else(|| launch_scope(&prepared.launch));
    let sites = all_sites(prepared);
    let all = sites.iter().map(|site| (site, site.stronger(&text, &module, scope)));
    let all: Vec<(&OrderSite, OrderChange)> =
        all.flat_map(|(site, changes)| changes.into_iter().map(move |change| (site, change))).collect();
    let mut tries = 0;
    let mut suffices = |changes: &[&OrderChange]| {
        tries += 1;
        tries <= MAX_TRIES && matches!(verdict(search, &text, changes), ChangedKernel::Proved)
    };
    if let Some((site, change)) = all.iter().find(|(_, change)| suffices(&[change])) {
        return Some(vec![((*site).clone(), change.clone())]);
    }
    let pairs = all.iter().enumerate().flat_map(|(at, one)| all[at + 1..].iter().map(move |two| (one, two)));
    let mut pairs = pairs.filter(|(one, two)| one.0.range != two.0.range);
    let (one, two) = pairs.find(|(one, two)| suffices(&[&one.1, &two.1]))?;
    Some([one, two].map(|(site, change)| ((*site).clone(), change.clone())).to_vec())
}

/// Whether a problem is a race of a tensor copy, which reads its map, with a change of that: fences of its proxy order them, and no order of an ordinary
/// access does.
fn is_of_tensor_map(kernel: &Kernel, found: &FoundProblem) -> bool {
    let Some(problem) = &found.problem else { return false };
    let ProblemKind::DataRace { cause, .. } = &problem.kind else { return false };
    let places = || problem.related.iter().map(|(_, place)| *place).chain([problem.place]);
    let has = |is_it: fn(&MachineAction) -> bool| {
        let mut code = places().filter_map(|place| {
            let function = kernel.program.functions.get(place.function as usize)?;
            function.code.get(place.instruction as usize)
        });
        code.any(|one| is_it(&one.action))
    };
    let is_change = has(|action| matches!(action, MachineAction::TensorMap(_)));
    let is_copy = has(|action| matches!(action, MachineAction::TensorCopy(_)));
    matches!(cause, RaceCause::NoTensorMapFence | RaceCause::NoTensorMapRelease) || is_change && is_copy
}

/// The accesses, fences and barriers of all kernels, each once, in the order of the text.
fn all_sites(prepared: &PreparedKernel) -> Vec<OrderSite> {
    let mut sites: Vec<OrderSite> = prepared.stream().iter().flat_map(|one| order_sites(one.kernel)).collect();
    sites.sort_by_key(|site| site.range.start);
    sites.dedup_by_key(|site| site.range.start);
    sites
}

/// What is known about the kernels with changes.
fn verdict(search: OrderSearch, text: &str, changes: &[&OrderChange]) -> ChangedKernel {
    let changed = with_edits(text, changes);
    let Ok(prepared) = search.arguments.prepare_changed((&search.prepared.name, &changed), CHECK_INSTRUCTIONS) else {
        return ChangedKernel::Undecided;
    };
    let Ok(found) = search.question.ask_stream(&prepared) else { return ChangedKernel::Undecided };
    match (KernelVerdict::new(found.problems.len(), found.total.unfinished), found.problems.first()) {
        (KernelVerdict::Proved, _) => ChangedKernel::Proved,
        (KernelVerdict::Refuted, Some((number, first))) => {
            let StreamKernel { kernel, .. } = prepared.stream().swap_remove(*number);
            let line = |place| prepared.snapshot.file.position(kernel.range(place).start).line + 1;
            let problem = first.problem.as_ref().map(|one| (one.kind.code().to_owned(), line(one.place)));
            ChangedKernel::Refuted(problem.unwrap_or_else(|| ("claim".to_owned(), 0)))
        }
        _ => ChangedKernel::Undecided,
    }
}

/// The line and the column of an instruction, from 1 on.
fn position(prepared: &PreparedKernel, site: &OrderSite) -> (usize, usize) {
    let at = prepared.snapshot.file.position(site.range.start);
    (at.line + 1, at.column + 1)
}

fn instruction(prepared: &PreparedKernel, site: &OrderSite) -> String {
    let text = prepared.snapshot.file.text().byte_slice(site.range.clone()).to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The needs for people, a line each.
pub fn needs_text(needs: &[OrderNeed], prepared: &PreparedKernel) -> String {
    let mut text = String::new();
    for OrderNeed { site, enough, breaking } in needs {
        let (line, column) = position(prepared, site);
        let _ = write!(text, "{}:{line}:{column}: `{}`", prepared.name, instruction(prepared, site));
        let breaking = breaking.as_ref().map(|(change, (code, at))| {
            let at = if *at == 0 { String::new() } else { format!(" at line {at}") };
            format!("{code}{at} if you {}", change.title)
        });
        let _ = match (enough, breaking) {
            (Some(enough), None) => writeln!(text, " is stronger than this launch needs: {}", enough.title),
            (Some(enough), Some(breaking)) => {
                writeln!(text, " is stronger than this launch needs: {} ({breaking})", enough.title)
            }
            (None, breaking) => writeln!(text, " is needed: {}", breaking.unwrap_or_default()),
        };
    }
    text
}

/// The needs as JSON.
pub fn needs_json(needs: &[OrderNeed], prepared: &PreparedKernel) -> Json {
    let object = |OrderNeed { site, enough, breaking }: &OrderNeed| {
        let (line, column) = position(prepared, site);
        let breaking = breaking.as_ref();
        let breaking = breaking.map(|(change, (code, at))| json!({ "change": change.title, "code": code, "line": at }));
        json!({
            "line": line,
            "column": column,
            "instruction": instruction(prepared, site),
            "needed": enough.is_none(),
            "enough": enough.as_ref().map(|change| &change.title),
            "breaking": breaking,
        })
    };
    needs.iter().map(object).collect()
}

/// A repair for people.
pub fn repair_text(repair: Option<&[(OrderSite, OrderChange)]>, prepared: &PreparedKernel) -> String {
    let Some(changes) = repair else {
        return "repair: no order, scope or fence of one or two instructions suffices\n".to_owned();
    };
    let mut text = String::new();
    for (site, change) in changes {
        let (line, column) = position(prepared, site);
        let _ = writeln!(
            text,
            "repair: {}:{line}:{column}: `{}`: {}",
            prepared.name,
            instruction(prepared, site),
            change.title
        );
    }
    text
}

/// A repair as JSON: the changes, or null.
pub fn repair_json(repair: Option<&[(OrderSite, OrderChange)]>, prepared: &PreparedKernel) -> Json {
    let Some(changes) = repair else { return Json::Null };
    let object = |(site, change): &(OrderSite, OrderChange)| {
        let (line, column) = position(prepared, site);
        json!({ "line": line, "column": column, "instruction": instruction(prepared, site), "change": change.title })
    };
    changes.iter().map(object).collect()
}

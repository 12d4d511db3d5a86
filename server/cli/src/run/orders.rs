//! What `check` says about the orders of a kernel: those that it does not need, and those that would repair it.

use super::question::KernelVerdict;
use super::{CHECK_INSTRUCTIONS, PreparedKernel, RunArguments};
use explorer::FoundProblem;
use kernel::repairs::order_changes::{OrderChange, OrderSite, order_sites, with_edits};
use kernel::stream::{StreamKernel, StreamQuestion};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::ops::Range;

/// A change that repairs a kernel, with others.
pub struct RepairStep {
    /// The instruction.
    pub range: Range<usize>,
    /// What to do with it.
    pub title: String,
}

/// The changes that repair a kernel.
pub type KernelRepair = Vec<RepairStep>;

/// What the search for a repair has found.
pub struct RepairResult {
    /// The changes, if some suffice.
    pub found: Option<KernelRepair>,
    /// How many were tried.
    pub tried: usize,
    /// The bound that was reached before all were tried, if one was.
    pub limit: Option<String>,
}

/// What happens with weaker orders of an instruction.
pub struct OrderNeed {
    site: OrderSite,
    /// The weakest change with which the kernel is still proved; `None` if there is none.
    enough: Option<OrderChange>,
    /// The weakest change with which it is refuted, if there is one.
    breaking: Option<(OrderChange, FirstProblem)>,
}

/// The first problem of a changed kernel.
pub struct FirstProblem {
    code: String,
    /// Its line; 0 if it has none.
    line: usize,
    /// What it says of which statements: the same for the same problem in other changes.
    pub identity: String,
}

/// What is known about a changed kernel.
pub enum ChangedKernel {
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
    pub question: &'s StreamQuestion<'s>,
    /// The kernels as they are.
    pub prepared: &'s PreparedKernel,
    /// How they are launched.
    pub arguments: &'s RunArguments,
}

/// Tries weaker orders of each instruction, one at a time, the weakest first, until one suffices.
pub fn needs(search: OrderSearch) -> Vec<OrderNeed> {
    let prepared = search.prepared;
    let text = prepared.snapshot.file.text().to_string();
    let module = prepared.module;
    let mut needs = Vec::new();
    for site in all_sites(prepared).into_iter().filter(OrderSite::is_ordering) {
        let mut need = OrderNeed { site, enough: None, breaking: None };
        let may_be_needed = need.site.may_be_needed(&text);
        for change in need.site.weaker(&text, &module) {
            match verdict((search, &mut 0), &text, &[&change]) {
                ChangedKernel::Proved if may_be_needed => break,
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

/// The accesses, fences and barriers of all kernels, each once, in the order of the text.
pub fn all_sites(prepared: &PreparedKernel) -> Vec<OrderSite> {
    let mut sites: Vec<OrderSite> = prepared.stream().iter().flat_map(|one| order_sites(one.kernel)).collect();
    sites.sort_by_key(|site| site.range.start);
    sites.dedup_by_key(|site| site.range.start);
    sites
}

/// What is known about the kernels with changes. Their states are counted.
pub fn verdict((search, states): (OrderSearch, &mut usize), text: &str, changes: &[&OrderChange]) -> ChangedKernel {
    let changed = with_edits(text, changes);
    let Ok(prepared) = search.arguments.prepare_changed((search.prepared, &changed), CHECK_INSTRUCTIONS) else {
        return ChangedKernel::Undecided;
    };
    let Ok(found) = prepared.verify(search.question) else { return ChangedKernel::Undecided };
    *states += found.total.states;
    match (KernelVerdict::new(found.problems.len(), found.total.unfinished()), found.problems.first()) {
        (KernelVerdict::Proved, _) => ChangedKernel::Proved,
        (KernelVerdict::Refuted, Some(first)) => ChangedKernel::Refuted(FirstProblem::new(first, &prepared)),
        _ => ChangedKernel::Undecided,
    }
}

impl FirstProblem {
    /// A problem of a kernel in the stream.
    pub fn new((number, found): &(usize, FoundProblem), prepared: &PreparedKernel) -> Self {
        let Some(problem) = &found.problem else {
            let identity = found.claim.clone().unwrap_or_default();
            return Self { code: "claim".to_owned(), line: 0, identity };
        };
        let StreamKernel { kernel, .. } = prepared.stream().swap_remove(*number);
        let file = &prepared.snapshot.file;
        let line = file.position(kernel.range(problem.place).start).line + 1;
        let places = problem.related.iter().map(|(_, place)| *place).chain([problem.place]);
        let statements = places.map(|place| file.text().byte_slice(kernel.range(place)).to_string());
        let identity = statements.chain([problem.kind.to_string()]).collect::<Vec<_>>().join("\n");
        Self { code: problem.kind.code().to_owned(), line, identity }
    }
}

/// The line and the column of an instruction, from 1 on.
fn position(prepared: &PreparedKernel, range: &Range<usize>) -> (usize, usize) {
    let at = prepared.snapshot.file.position(range.start);
    (at.line + 1, at.column + 1)
}

fn instruction(prepared: &PreparedKernel, range: &Range<usize>) -> String {
    let text = prepared.snapshot.file.text().byte_slice(range.clone()).to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The needs for people, a line each.
pub fn needs_text(needs: &[OrderNeed], prepared: &PreparedKernel) -> String {
    let mut text = String::new();
    for OrderNeed { site, enough, breaking } in needs {
        let (line, column) = position(prepared, &site.range);
        let _ = write!(text, "{}:{line}:{column}: `{}`", prepared.name, instruction(prepared, &site.range));
        let breaking = breaking.as_ref().map(|(change, FirstProblem { code, line, .. })| {
            let at = if *line == 0 { String::new() } else { format!(" at line {line}") };
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
        let (line, column) = position(prepared, &site.range);
        let breaking = breaking.as_ref();
        let breaking = breaking
            .map(|(change, problem)| json!({ "change": change.title, "code": problem.code, "line": problem.line }));
        json!({
            "line": line,
            "column": column,
            "instruction": instruction(prepared, &site.range),
            "needed": enough.is_none(),
            "enough": enough.as_ref().map(|change| &change.title),
            "breaking": breaking,
        })
    };
    needs.iter().map(object).collect()
}

/// A repair for people.
pub fn repair_text(repair: &RepairResult, prepared: &PreparedKernel) -> String {
    let Some(changes) = &repair.found else {
        let limit = repair.limit.iter().map(|limit| format!("; search limit reached: {limit}")).collect::<String>();
        return format!("repair: none of the orders, scopes and fences that were tried suffices{limit}\n");
    };
    let mut text = String::new();
    for RepairStep { range, title } in changes {
        let (line, column) = position(prepared, range);
        let view = prepared.source_view();
        let at_source = view.and_then(|view| Some((view.path(), (*view.lines(&[range.start]).first()?)?)));
        let place = match at_source {
            Some((path, line)) => format!("{path}:{line}"),
            None => format!("{}:{line}:{column}", prepared.name),
        };
        let _ = writeln!(text, "repair: {place}: `{}`: {}", instruction(prepared, range), title);
    }
    text
}

/// A repair as JSON: the changes, or null.
pub fn repair_json(repair: &RepairResult, prepared: &PreparedKernel) -> Json {
    let Some(changes) = &repair.found else { return Json::Null };
    let object = |RepairStep { range, title }: &RepairStep| {
        let (line, column) = position(prepared, range);
        json!({ "line": line, "column": column, "instruction": instruction(prepared, range), "change": title })
    };
    changes.iter().map(object).collect()
}

/// How far the search for a repair went, as JSON.
pub fn repair_search_json(repair: &RepairResult) -> Json {
    let mut object = json!({ "tried": repair.tried });
    if let Some(limit) = &repair.limit {
        object["limit"] = json!(limit);
    }
    object
}

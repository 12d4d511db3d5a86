//! `.acquire` without `.release` in the module, or the reverse: one of them alone orders nothing.

use crate::summary::Summary;
use diagnostics::Diagnostic;
use diagnostics::registry::ONE_SIDED_ORDER;

/// Looks at the summaries of all items, each with the place where it begins.
pub(super) fn check(items: &[(usize, &Summary)], findings: &mut Vec<Diagnostic>) {
    let acquires = items.iter().any(|(_, item)| item.acquires);
    let releases = items.iter().any(|(_, item)| item.releases);
    for (base, one) in items.iter().flat_map(|(base, item)| item.one_sided.iter().map(move |one| (base, one))) {
        let (own, other) = if one.acquire { (".acquire", ".release") } else { (".release", ".acquire") };
        if one.acquire && releases || !one.acquire && acquires {
            continue;
        }
        let range = base + one.range.start..base + one.range.end;
        findings.push(
            Diagnostic::new(&ONE_SIDED_ORDER, range, format!("nothing in this module is `{other}`, so this `{own}` orders nothing towards it"))
                .help(match one.acquire {
                    true => "make the write that this one waits for `.release`, or put a fence before it; if it lies in another module, allow this",
                    false => "a thread that reads this must do it with `.acquire`, or a fence behind it; if it lies in another module, allow this",
                }),
        );
    }
}

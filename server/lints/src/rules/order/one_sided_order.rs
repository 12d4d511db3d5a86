//! `one-sided-order`: `.acquire` without `.release` in the module, or the reverse.

use diagnostics::Diagnostic;
use diagnostics::registry::ONE_SIDED_ORDER;
use legality::summary::Summary;

const ACQUIRE_HELP: &str = "make the corresponding write `.release`, or add a fence before it; suppress this if the write is in another module";
const RELEASE_HELP: &str =
    "make the corresponding read `.acquire`, or add a fence after it; suppress this if the read is in another module";

/// Checks the summaries of all items, each with its start offset.
pub(crate) fn check(items: &[(usize, &Summary)], diagnostics: &mut Vec<Diagnostic>) {
    let acquires = items.iter().any(|(_, item)| item.acquires);
    let releases = items.iter().any(|(_, item)| item.releases);
    for (base, atomic) in items.iter().flat_map(|(base, item)| item.one_sided.iter().map(move |atomic| (base, atomic)))
    {
        let (order, counterpart) = if atomic.acquire { (".acquire", ".release") } else { (".release", ".acquire") };
        if atomic.acquire && releases || !atomic.acquire && acquires {
            continue;
        }
        let range = base + atomic.range.start..base + atomic.range.end;
        diagnostics.push(
            Diagnostic::new(
                &ONE_SIDED_ORDER,
                range,
                format!("`{order}` without a matching `{counterpart}` in this module"),
            )
            .help(if atomic.acquire { ACQUIRE_HELP } else { RELEASE_HELP }),
        );
    }
}

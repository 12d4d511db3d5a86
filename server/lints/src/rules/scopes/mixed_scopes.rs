//! `mixed-scopes`: atomics with a narrower scope than another access to the same memory.

use diagnostics::Diagnostic;
use diagnostics::registry::MIXED_SCOPES;
use legality::summary::{AccessedMemory, MemoryAccess, Summary};
use std::collections::BTreeMap;

/// The memory, the function that it is local to, and an offset.
type AccessedBytes<'a> = (&'a AccessedMemory, Option<usize>, Option<i64>);

/// Checks the summaries of all items, each with its start offset.
pub(crate) fn check(items: &[(usize, &Summary)], diagnostics: &mut Vec<Diagnostic>) {
    let mut scopes = items.iter().flat_map(|(_, item)| &item.accesses).map(|access| access.scope);
    let Some(first) = scopes.next() else { return };
    if scopes.all(|scope| scope == first) {
        return;
    }
    let mut accesses_by_address: BTreeMap<AccessedBytes, Vec<(usize, &MemoryAccess)>> = BTreeMap::new();
    for (base, item) in items {
        for access in &item.accesses {
            let function = matches!(access.memory, AccessedMemory::Local(_)).then_some(*base);
            accesses_by_address.entry((&access.memory, function, access.offset)).or_default().push((*base, access));
        }
    }
    for accesses in accesses_by_address.into_values() {
        let Some((base, widest)) = accesses.iter().max_by_key(|(_, access)| access.scope) else { continue };
        for (start, access) in accesses.iter().filter(|(_, access)| access.check_scope && access.scope < widest.scope) {
            let message = format!(
                "`.{}` scope on memory that is also accessed with `.{}` scope: not atomic towards threads outside the narrower scope",
                access.scope.word(),
                widest.scope.word()
            );
            let report = Diagnostic::new(&MIXED_SCOPES, start + access.range.start..start + access.range.end, message)
                .help(format!("write `.{}` in both instructions", widest.scope.word()));
            let wider = base + widest.range.start..base + widest.range.end;
            diagnostics.push(report.related(wider, "access with the wider scope"));
        }
    }
}

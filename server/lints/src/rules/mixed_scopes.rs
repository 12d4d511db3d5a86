//! The same memory, accessed with scopes of which one is too narrow for the other.

use crate::summary::{Summary, Touch};
use diagnostics::Diagnostic;
use diagnostics::registry::MIXED_SCOPES;
use std::collections::BTreeMap;

/// A name, the function that it belongs to, and a number of bytes.
type AccessedBytes<'a> = (&'a str, Option<usize>, Option<i64>);

/// Looks at the summaries of all items, each with the place where it begins.
pub(super) fn check(items: &[(usize, &Summary)], findings: &mut Vec<Diagnostic>) {
    let mut places: BTreeMap<AccessedBytes, Vec<(usize, &Touch)>> = BTreeMap::new();
    for (base, item) in items {
        for touch in &item.touches {
            places.entry((&touch.name, touch.own.then_some(*base), touch.offset)).or_default().push((*base, touch));
        }
    }
    for touches in places.into_values() {
        let Some((base, widest)) = touches.iter().max_by_key(|(_, touch)| touch.scope) else { continue };
        for (own, touch) in touches.iter().filter(|(_, touch)| touch.judged && touch.scope < widest.scope) {
            let message = format!(
                "this is atomic towards `.{}` only, but the same memory is accessed with `.{}`: towards those threads each may come apart",
                touch.scope.word(),
                widest.scope.word()
            );
            let report = Diagnostic::new(&MIXED_SCOPES, own + touch.range.start..own + touch.range.end, message)
                .help(format!("write `.{}` in both, the scope of all threads that meet here", widest.scope.word()));
            let wider = base + widest.range.start..base + widest.range.end;
            findings.push(report.related(wider, "the access of wider scope"));
        }
    }
}

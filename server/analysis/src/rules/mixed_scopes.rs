//! The same memory, accessed with scopes of which one is too narrow for the other.

use crate::report::{With, finding};
use crate::summary::{Summary, Touch};
use crate::{Finding, Related};
use std::collections::BTreeMap;

/// A name, the function that it belongs to, and a number of bytes.
type Memory<'a> = (&'a str, Option<usize>, Option<i64>);

/// Looks at the summaries of all items, each with the place where it begins.
pub(super) fn check(items: &[(usize, &Summary)], findings: &mut Vec<Finding>) {
    let mut places: BTreeMap<Memory, Vec<(usize, &Touch)>> = BTreeMap::new();
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
            let mut report = finding("mixed-scopes", own + touch.range.start..own + touch.range.end, message)
                .help(format!("write `.{}` in both, the scope of all threads that meet here", widest.scope.word()));
            report.related.push(Related {
                range: base + widest.range.start..base + widest.range.end,
                message: "the access of wider scope".to_owned(),
            });
            findings.push(*report);
        }
    }
}

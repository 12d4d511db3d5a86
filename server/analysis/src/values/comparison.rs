//! Comparisons of integers, as `setp` and `set` spell them.

use std::cmp::Ordering;

/// Whether a comparison holds for numbers with this order; `None` for an unknown word.
pub fn holds(relation: &str, order: Ordering) -> Option<bool> {
    Some(match relation {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "lt" | "lo" => order.is_lt(),
        "le" | "ls" => order.is_le(),
        "gt" | "hi" => order.is_gt(),
        "ge" | "hs" => order.is_ge(),
        _ => return None,
    })
}

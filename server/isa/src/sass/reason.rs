//! Why an opcode is illegal: messages, helps and fixes.

use crate::distance::{closest, edit_distance};
use crate::reason::ReasonCode;
use crate::sass::size::{SIZES, size_of};
use crate::sass::words::{SCOPE, STRENGTH, all_ops};
use crate::sass::{SassDialect, SassFamily, families};
use std::ops::Range;

/// Why an opcode is illegal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SassReason {
    /// The kind of mistake.
    pub code: ReasonCode,
    /// The modifiers at fault, by their places; empty for the mnemonic.
    pub words: Range<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to write instead; empty where nothing can be said.
    pub help: String,
    /// The words that fix it, in place of those at fault.
    pub fix: Option<String>,
}

/// A reason as an error.
pub(super) fn fail<T>(
    code: ReasonCode,
    words: Range<usize>,
    message: String,
    help: String,
    fix: Option<String>,
) -> Result<T, Box<SassReason>> {
    Err(Box::new(SassReason { code, words, message, help, fix }))
}

/// A word that no part of an opcode has.
pub(super) fn unknown(word: &str, at: usize) -> SassReason {
    let known = all_ops().chain(SIZES.iter().map(|size| size.name)).chain(["E"]).chain(STRENGTH.iter().copied());
    let known = known.chain(SCOPE.iter().copied()).filter(|known| !known.is_empty());
    let near = closest(word, known);
    SassReason {
        code: ReasonCode::UnknownModifier,
        words: at..at + 1,
        message: format!("unknown modifier `.{word}`"),
        help: near.map(|near| format!("did you mean `.{near}`?")).unwrap_or_default(),
        // One letter too many, too few or wrong is a typo; what is further off is a guess.
        fix: near.filter(|near| edit_distance(word, near) <= 2).map(|near| format!(".{near}")),
    }
}

/// The reason for an operation that the family does not have.
pub(super) fn no_op(family: &SassFamily, op: &str) -> String {
    let ops: Vec<String> = family.ops().iter().map(|op| format!("`.{op}`")).collect();
    let hint = match op {
        "EXCH" | "CAS" => "; exchange and compare-and-swap require an instruction that returns the old value",
        _ => "",
    };
    format!("expected {}{hint}", list(&ops))
}

/// The reason for a size that the operation does not have; `written` is empty if there is no size.
pub(super) fn illegal_size(family: &SassFamily, op: &str, written: &str, at: Range<usize>) -> SassReason {
    let sizes = family.sizes(op);
    let nearer = match written {
        "F16x2.FTZ.RN" | "F16x2" | "F16" => "F16x2.RN",
        "F32" | "F32.FTZ" => "F32.FTZ.RN",
        "F64" | "F64.FTZ.RN" => "F64.RN",
        "BF16x2" => "BF16x2.RN",
        "B32" | "U32" => "",
        "B64" | "U64" => "64",
        "S32" if family.dialect == SassDialect::Current => "",
        "S64" => {
            if family.dialect == SassDialect::Maxwell {
                "U64"
            } else {
                "64"
            }
        }
        _ => written,
    };
    let same = size_of(nearer).filter(|size| nearer != written && sizes.contains(size));
    // A sum of two's complement numbers has the same bits whether they are signed or not; an order has not.
    let same = same.filter(|_| !matches!((written, op), ("S32" | "S64", "MIN" | "MAX")));
    let all: Vec<String> = sizes
        .iter()
        .filter(|size| family.dialect == SassDialect::Current || !matches!(size.name, "32" | "64"))
        .map(|size| size.shown())
        .collect();
    let opcode = format!("{}.{op}", family.name);
    let message = match written {
        "" => format!("missing size on `{opcode}`"),
        written => format!("invalid size `.{written}` for `{opcode}`"),
    };
    let instead = same.map(|size| match size.name {
        "" => "remove the size; ".to_owned(),
        name => format!("write `.{name}`; "),
    });
    SassReason {
        code: ReasonCode::IllegalType,
        words: at,
        message,
        help: format!("{}`.{op}` accepts {}", instead.unwrap_or_default(), list(&all)),
        fix: same.map(|size| if size.name.is_empty() { String::new() } else { format!(".{}", size.name) }),
    }
}

/// Nothing, or why a target is outside of those that have something; `words` is empty for the family itself.
pub(super) fn within(
    family: &SassFamily,
    since: u32,
    until: u32,
    target: u32,
    words: Range<usize>,
) -> Result<(), Box<SassReason>> {
    if (since..=until).contains(&target) {
        return Ok(());
    }
    let what = if words.is_empty() { format!("`{}`", family.name) } else { format!("this form of `{}`", family.name) };
    let others = families().iter().find(|other| {
        other.name != family.name
            && other.rows[0].operands == family.rows[0].operands
            && (other.since..=other.until).contains(&target)
    });
    let message = if target < since {
        format!("{what} requires sm_{since} or newer, but the code targets sm_{target}")
    } else {
        format!("{what} is not supported after sm_{until}, but the code targets sm_{target}")
    };
    let other = others.filter(|_| words.is_empty());
    let help = other.map_or_else(String::new, |other| format!("write `{}`", other.name));
    Err(Box::new(SassReason { code: ReasonCode::RequiresTarget, words, message, help, fix: None }))
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

//! Unknown instructions and unknown modifiers.

use crate::diagnose::format::shown;
use crate::names;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::spelling::Spelling;
use crate::tables::table;
use crate::unchecked;

/// How many names a message lists.
const LISTED: usize = 8;

/// The reason for a spelling that begins with no instruction's name.
pub(crate) fn unknown(spelling: &Spelling) -> Reason {
    let shared = names::common_prefix(spelling);
    let near = names::closest_names(spelling);
    let start = start(spelling, shared);
    let wrong = shared.checked_sub(1).filter(|at| *at < spelling.modifiers.len());
    if let Some(at) = wrong
        && let Some((later, word)) = misplaced(spelling, shared)
    {
        return Reason {
            at: Some(later),
            message: format!("expected `.{word}` right after `{start}`"),
            help: format!("write `{start}.{word}`; the other modifiers may follow in any order"),
            fixes: vec![SpellingFix {
                title: format!("Move `.{word}` after `{start}`"),
                edits: vec![SpellingEdit::Insert { at, word }, SpellingEdit::Remove { at: later }],
            }],
            ..reason()
        };
    }
    let message = match wrong {
        Some(at) => format!("unknown instruction `{start}.{}`", shown(spelling.modifiers[at])),
        None if shared > 0 => format!("incomplete instruction `{start}`"),
        None => format!("unknown instruction `{}`", shown(spelling.mnemonic)),
    };
    let help = match &near[..] {
        [] if shared > 0 => format!("expected {}", list(names::with_prefix(spelling, shared))),
        [] => "no PTX instruction has a similar name".to_owned(),
        near => format!("did you mean {}?", alternatives(near)),
    };
    let fixes = match &near[..] {
        [name] => vec![renamed(spelling, name)],
        _ => Vec::new(),
    };
    Reason { at: wrong, message, help, fixes, ..reason() }
}

/// The reason for an incomplete name: `dp2a`, of which only `dp2a.lo` and `dp2a.hi` are instructions.
pub(crate) fn incomplete(spelling: &Spelling, name: &'static str) -> Option<Reason> {
    if unchecked::find(name).is_some() {
        return None;
    }
    let continued = |opcode: &&str| opcode.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ':']));
    let opcodes: Vec<&str> = table::opcodes().filter(continued).collect();
    // Spaces may separate the parts of a name: `tcgen05.wait ::ld`.
    let written: String = spelling.text().split_whitespace().collect();
    let completes =
        |opcode: &&str| written.strip_prefix(opcode).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if opcodes.iter().any(completes) {
        return None;
    }
    let message = format!("incomplete instruction `{name}`");
    let help = format!("expected {}", list(opcodes.iter().copied()));
    (!opcodes.is_empty()).then(|| Reason { code: ReasonCode::MissingModifier, message, help, ..reason() })
}

/// The reason for a name whose last word goes on with two colons, which no opcode with this name does: `wgmma.fence::x`.
pub(crate) fn unexpected_suffix(spelling: &Spelling, name: &'static str) -> Option<Reason> {
    if table::opcodes().any(|opcode| opcode.strip_prefix(name).is_some_and(|rest| rest.starts_with("::"))) {
        return None;
    }
    let at = name.split('.').count().checked_sub(2)?;
    let (word, suffix) = spelling.modifiers.get(at)?.split_once("::")?;
    let word = name.rsplit('.').next().filter(|last| *last == word.trim_end())?;
    let suffix = shown(suffix);
    Some(Reason {
        code: ReasonCode::UnknownModifier,
        at: Some(at),
        message: format!("unexpected `::{suffix}` after `{name}`"),
        help: format!("remove `::{suffix}`"),
        fixes: vec![SpellingFix {
            title: format!("Remove `::{suffix}`"),
            edits: vec![SpellingEdit::Replace { at, word }],
        }],
        ..reason()
    })
}

/// The reason for the first word after a name that is not a modifier of any instruction.
pub(crate) fn unknown_modifier(spelling: &Spelling, name: &str) -> Option<Reason> {
    let (at, near) = names::unknown_modifier(spelling, name)?;
    let word = shown(spelling.modifiers[at]);
    let (help, fixes) = match &near[..] {
        [] => {
            let edits = vec![SpellingEdit::Remove { at }];
            (format!("remove `.{word}`"), vec![SpellingFix { title: format!("Remove `.{word}`"), edits }])
        }
        [meant] => (
            format!("did you mean `.{meant}`?"),
            vec![SpellingFix {
                title: format!("Replace `.{word}` with `.{meant}`"),
                edits: vec![SpellingEdit::Replace { at, word: meant }],
            }],
        ),
        near => {
            let near: Vec<String> = near.iter().map(|word| format!(".{word}")).collect();
            (format!("did you mean {}?", alternatives(&near)), Vec::new())
        }
    };
    let message = format!("unknown modifier `.{word}`");
    Some(Reason { code: ReasonCode::UnknownModifier, at: Some(at), message, help, fixes, ..reason() })
}

/// As [`unknown_modifier`], if the word after a name is a misspelt part of a longer name: `cp.async.blk`.
pub(crate) fn misspelt_longer_name(spelling: &Spelling, name: &str) -> Option<Reason> {
    let at = name.split('.').count() - 1;
    let reason = unknown_modifier(spelling, name).filter(|reason| reason.at == Some(at))?;
    let continues =
        |word: &str| names::with_prefix(spelling, at + 1).any(|name| name.split('.').nth(at + 1) == Some(word));
    let edits = reason.fixes.iter().flat_map(|fix| &fix.edits);
    let meant = edits.filter_map(|edit| if let SpellingEdit::Replace { word, .. } = edit { Some(*word) } else { None });
    meant.into_iter().any(continues).then_some(reason)
}

fn reason() -> Reason {
    Reason {
        code: ReasonCode::UnknownInstruction,
        at: None,
        other: None,
        message: String::new(),
        help: String::new(),
        requires: None,
        fixes: Vec::new(),
    }
}

/// The first words, joined by dots.
fn start(spelling: &Spelling, count: usize) -> String {
    let modifiers = spelling.modifiers.iter().take(count.saturating_sub(1));
    modifiers.fold(spelling.mnemonic.to_owned(), |text, word| text + "." + word)
}

/// A modifier that completes the first words to a name if it is moved after them.
fn misplaced(spelling: &Spelling, shared: usize) -> Option<(usize, &'static str)> {
    let next: Vec<&'static str> =
        names::with_prefix(spelling, shared).filter_map(|name| name.split('.').nth(shared)).collect();
    spelling
        .modifiers
        .iter()
        .enumerate()
        .skip(shared)
        .find_map(|(at, modifier)| next.iter().find(|word| *word == modifier).map(|word| (at, *word)))
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        names.truncate(LISTED);
        names.push("…".to_owned());
    }
    let one_of = if names.len() > 1 { "one of " } else { "" };
    format!("{one_of}{}", names.join(", "))
}

fn alternatives<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(" or ")
}

/// The fix that writes a name in place of a misspelt one.
fn renamed(spelling: &Spelling, name: &'static str) -> SpellingFix {
    let mut edits = Vec::new();
    for (index, word) in name.split('.').enumerate() {
        match index.checked_sub(1) {
            None if word == spelling.mnemonic => {}
            None => edits.push(SpellingEdit::Rename { word }),
            Some(at) if at >= spelling.modifiers.len() => {
                edits.push(SpellingEdit::Insert { at: spelling.modifiers.len(), word })
            }
            Some(at) if spelling.modifiers[at] == word => {}
            Some(at) => edits.push(SpellingEdit::Replace { at, word }),
        }
    }
    SpellingFix { title: format!("Replace with `{name}`"), edits }
}

//! Rename, with an error if it would change the meaning of the text.
//!
//! The renamed text is parsed again, and every occurrence of the old or the new name must still refer to the same declaration.

use super::names::{NameToken, occurrences};
use super::navigation::resolve;
use diagnostics::{Edit, Snapshot};
use isa::special::is_special;
use std::ops::Range;
use syntax::{ResolvedName, RopeReader, Scopes, SourceFile, TokenClass, is_word_char, syntax_errors, tokens_in};

/// The target of a rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamable {
    /// The range that the new name replaces. It contains the offset; in the base of a member `%r7` of a register range, it is that base.
    pub range: Range<usize>,
    /// The old name.
    pub placeholder: String,
}

/// Rename.
pub trait RenameProvider {
    /// The target of a rename at an offset, or the error.
    fn prepare_rename(&self, _offset: usize) -> Result<Renamable, String> {
        Err("nothing to rename here".to_owned())
    }

    /// The edits of a rename, or the error.
    fn rename(&self, offset: usize, _new: &str) -> Result<Vec<Edit>, String> {
        self.prepare_rename(offset).map(|_| Vec::new())
    }
}

impl RenameProvider for Snapshot {
    fn prepare_rename(&self, offset: usize) -> Result<Renamable, String> {
        let plan = RenamePlan::new(self, offset)?;
        let start = plan.named.range.start;
        let base = plan.scopes.symbols()[plan.meant.symbol].name();
        // The range contains the offset, so in the digits of a member it is the whole name.
        let placeholder = if offset <= start + base.len() { base } else { &plan.named.text };
        Ok(Renamable { range: start..start + placeholder.len(), placeholder: placeholder.to_owned() })
    }

    fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, String> {
        let plan = RenamePlan::new(self, offset)?;
        let symbol = &plan.scopes.symbols()[plan.meant.symbol];
        let (old, range) = (symbol.name(), symbol.first().count.is_some());
        let new = plan.base_of(new)?;
        if new == old {
            return Ok(Vec::new());
        }
        check_word(new)?;
        if range && new.ends_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("name of a register range must not end in a digit: `{new}`"));
        }
        let all = occurrences(self, symbol, ResolvedName { symbol: plan.meant.symbol, member: None });
        let edits: Vec<Edit> = all
            .into_iter()
            .map(|one| Edit { range: one.range.start..one.range.start + old.len(), text: new.to_owned() })
            .collect();
        let within = if symbol.global { 0..self.file.text().len_bytes() } else { symbol.scope.clone() };
        same_meaning(&self.file, within, &edits, old, new)?;
        Ok(edits)
    }
}

struct RenamePlan<'a> {
    named: NameToken,
    scopes: Scopes<'a>,
    meant: ResolvedName,
}

impl<'a> RenamePlan<'a> {
    fn new(snapshot: &'a Snapshot, offset: usize) -> Result<Self, String> {
        let Some((named, scopes, meant)) = resolve(snapshot, offset) else {
            return Err(match super::names::name_at(&snapshot.file, offset) {
                Some(named) if is_special(&named.text) => format!("`{}` is a predefined name of PTX", named.text),
                Some(named) => format!("`{}` is not declared in this file", named.text),
                None => "no name here".to_owned(),
            });
        };
        let symbol = &scopes.symbols()[meant.symbol];
        if !symbol.declarations.iter().any(|one| one.definition) && symbol.global {
            return Err(format!("`{}` is defined in another module", symbol.name()));
        }
        Ok(RenamePlan { named, scopes, meant })
    }

    /// The new name of a register range, from the new name of a member.
    fn base_of<'n>(&self, new: &'n str) -> Result<&'n str, String> {
        let Some(index) = self.meant.member else { return Ok(new) };
        let base = new.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &new[base.len()..];
        if digits.is_empty() || digits == index.to_string() {
            return Ok(base);
        }
        let name = self.scopes.symbols()[self.meant.symbol].name();
        Err(format!(
            "`{name}{index}` is a member of the range `{name}<…>`, which can only be renamed as a whole, to a name that does not end in a digit"
        ))
    }
}

fn check_word(new: &str) -> Result<(), String> {
    let mut chars = new.chars();
    let fits = match chars.next() {
        Some(c) if c.is_ascii_alphabetic() => true,
        Some('%' | '_' | '$') => new.len() > 1,
        _ => false,
    };
    if !fits || !chars.all(is_word_char) {
        return Err(format!(
            "invalid name `{new}`: write letters, digits, `_` and `$`, with a letter, `%`, `_` or `$` first"
        ));
    }
    match is_special(new) {
        true => Err(format!("`{new}` is a predefined name of PTX")),
        false => Ok(()),
    }
}

/// The offset of a name, and the declaration that it refers to.
type Binding = (usize, Option<(usize, Option<u64>)>);

fn same_meaning(file: &SourceFile, within: Range<usize>, edits: &[Edit], old: &str, new: &str) -> Result<(), String> {
    let mut renamed = file.clone();
    renamed.edit_all(edits.iter().rev().map(|edit| (edit.range.clone(), &*edit.text)));
    let new_offset = |at: usize| {
        let before = edits.partition_point(|edit| edit.range.start < at);
        at + before * new.len() - before * old.len()
    };
    let conflict = || format!("`{new}` conflicts with another declaration in the scope of `{old}`");
    let before = bindings(file, within.clone(), old, new);
    let after = bindings(&renamed, within.start..new_offset(within.end), old, new);
    let expected = before
        .iter()
        .map(|(at, means)| (new_offset(*at), means.map(|(declared, member)| (new_offset(declared), member))));
    if !expected.eq(after) {
        return Err(conflict());
    }
    if collides_with_range(&scopes_of(&renamed, within.start..new_offset(within.end), old, new), new) {
        return Err(conflict());
    }
    match renamed.has_syntax_error() && syntax_errors(&renamed).len() > syntax_errors(file).len() {
        true => Err(format!("`{new}` is not valid in all places where `{old}` is used")),
        false => Ok(()),
    }
}

/// The bindings of all names that are the old or the new name, or members of a range with that name.
fn bindings(file: &SourceFile, within: Range<usize>, old: &str, new: &str) -> Vec<Binding> {
    let scopes = scopes_of(file, within.clone(), old, new);
    let mut reader = RopeReader::new(file.text());
    let concerns = |text: &str| {
        let base = text.trim_end_matches(|c: char| c.is_ascii_digit());
        [text, base].iter().any(|text| *text == old || *text == new)
            || [old, new].iter().any(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()) == text)
    };
    let mut found = Vec::new();
    for item in file.items() {
        let part = item.start.max(within.start)..item.end.min(within.end);
        if part.start > part.end || !(file.holds(part.clone(), old) || file.holds(part.clone(), new)) {
            continue;
        }
        tokens_in(file, part, |token| {
            if token.kind != TokenClass::Name {
                return;
            }
            let token = reader.read(token.range);
            if concerns(&token.text) {
                let named = NameToken { text: token.text.into_owned(), range: token.range.clone(), data: false };
                let means = super::names::meaning(&scopes, &named);
                let declared =
                    means.map(|means| (scopes.symbols()[means.symbol].first().name.range.start, means.member));
                found.push((token.range.start, declared));
            }
        });
    }
    found.dedup();
    found
}

/// The scopes of the module and of the functions that contain one of the names.
fn scopes_of<'a>(file: &'a SourceFile, within: Range<usize>, old: &str, new: &str) -> Scopes<'a> {
    let touches = |function: &Range<usize>| function.end >= within.start && function.start <= within.end;
    Scopes::inside(file, &|function| {
        touches(&function) && (file.holds(function.clone(), old) || file.holds(function, new))
    })
}

/// Whether a name collides with a member of a register range of the same scope.
fn collides_with_range(scopes: &Scopes, new: &str) -> bool {
    let symbols = scopes.symbols();
    let named = |symbol: &&syntax::Symbol| symbol.name() == new;
    symbols.iter().filter(named).any(|mine| {
        symbols.iter().any(|other| {
            let (range, exact) = if mine.first().count.is_some() { (mine, other) } else { (other, mine) };
            let index = exact.name().strip_prefix(range.name()).and_then(|digits| digits.parse::<u64>().ok());
            mine.scope == other.scope
                && exact.first().count.is_none()
                && index.is_some_and(|index| range.first().count.is_some_and(|count| index < count))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn renamed(text: &str, new: &str) -> Result<String, String> {
        let (plain, marks) = marked(text);
        let edits = snapshot(&plain).rename(marks[0], new)?;
        let mut text = plain;
        for edit in edits.iter().rev() {
            text.replace_range(edit.range.clone(), &edit.text);
        }
        Ok(text)
    }

    #[test]
    fn a_name_is_renamed_in_its_scope() {
        assert_eq!(
            renamed(
                ".entry k() { .reg .b32 a; add.u32 $0a, a, 1; { .reg .b32 a; mov.b32 a, 1; } st.b32 [a+4], a; }",
                "sum"
            )
            .unwrap(),
            ".entry k() { .reg .b32 sum; add.u32 sum, sum, 1; { .reg .b32 a; mov.b32 a, 1; } st.b32 [sum+4], sum; }"
        );
        assert_eq!(
            renamed(".entry k() { bra L; $0L: ret; }", "$done").unwrap(),
            ".entry k() { bra $done; $done: ret; }"
        );
        assert_eq!(
            renamed(".func f(); .entry k() { call $0f; } .func f() { ret; }", "g").unwrap(),
            ".func g(); .entry k() { call g; } .func g() { ret; }"
        );
    }

    #[test]
    fn a_range_is_renamed_as_a_whole() {
        let expected = Ok(".entry k() { .reg .b32 %x<9>; add.u32 %x1, %x2, %x1; }".to_owned());
        assert_eq!(renamed(".entry k() { .reg .b32 $0%r<9>; add.u32 %r1, %r2, %r1; }", "%x"), expected);
        assert_eq!(renamed(".entry k() { .reg .b32 %r<9>; add.u32 %r1, %r$02, %r1; }", "%x2"), expected);
        assert_eq!(renamed(".entry k() { .reg .b32 %r<9>; add.u32 %r1, %r$02, %r1; }", "%x"), expected);
        let rejected = renamed(".entry k() { .reg .b32 %r<9>; add.u32 %r1, %r$02, %r1; }", "%x3").unwrap_err();
        assert!(rejected.contains("as a whole"), "{rejected}");
        assert!(
            renamed(".entry k() { .reg .b32 $0%r<9>; add.u32 %r1, %r2, %r1; }", "%x1").unwrap_err().contains("digit")
        );
    }

    #[test]
    fn changes_of_meaning_are_errors() {
        for (text, new) in [
            // A clash in the same scope, and with a parameter.
            (".entry k() { .reg .b32 $0a, b; mov.b32 a, b; }", "b"),
            (".entry k(.param .u64 p) { .reg .b32 $0a; mov.b32 a, 1; }", "p"),
            // The new name would be captured by an inner declaration.
            (".entry k() { .reg .b32 $0a; { .reg .b32 b; mov.b32 a, b; } }", "b"),
            // The renamed one would capture uses of an outer one.
            (".entry k() { .reg .b32 b; { .reg .b32 $0a; mov.b32 a, b; } }", "b"),
            (".global .b32 g; .entry k() { .reg .b32 $0a; mov.b32 a, g; }", "g"),
            (".global .b32 $0g; .entry k() { .reg .b32 a; mov.b32 a, g; }", "a"),
            // It would give a meaning to a name that has none yet.
            (".entry k() { .reg .b32 $0a; mov.b32 a, b; }", "b"),
            // Members of ranges.
            (".entry k() { .reg .b32 %r<5>, $0a; mov.b32 a, %r3; }", "%r3"),
            (".entry k() { .reg .b32 %r<5>, $0a; mov.b32 a, 1; }", "%r4"),
            (".entry k() { .reg .b32 %r<5>, %x3; mov.b32 $0%r1, 1; }", "%x"),
            // Not a name.
            (".entry k() { .reg .b32 $0a; }", "1a"),
            (".entry k() { .reg .b32 $0a; }", "_"),
            (".entry k() { .reg .b32 $0a; }", "a b"),
            (".entry k() { .reg .b32 $0a; }", ""),
            (".entry k() { .reg .b32 $0a; }", "WARP_SZ"),
            (".entry k() { .reg .b32 $0a; }", "%tid"),
        ] {
            assert!(renamed(text, new).is_err(), "{text} to {new}: {:?}", renamed(text, new));
        }
        assert!(renamed(".entry k() { .reg .b32 %r<5>, $0a; mov.b32 a, 1; }", "%r5").is_ok(), "%r5 is none of %r<5>");
    }

    #[test]
    fn errors_say_why() {
        let why = |text: &str| {
            let (plain, marks) = marked(text);
            snapshot(&plain).prepare_rename(marks[0]).unwrap_err()
        };
        assert_eq!(why(".entry k() { mov.u32 a, %ti$0d.x; }"), "`%tid` is a predefined name of PTX");
        assert_eq!(why(".entry k() { mov.u32 $0a, 1; }"), "`a` is not declared in this file");
        assert_eq!(why(".entry k() { m$0ov.u32 a, 1; }"), "no name here");
        assert!(why(".extern .func $0f();").contains("another module"));
        let (plain, marks) = marked(".entry k() { .reg .b32 %r<5>; mov.b32 %r$03, 1; }");
        let found = snapshot(&plain).prepare_rename(marks[0]).unwrap();
        assert_eq!((&plain[found.range], &*found.placeholder), ("%r", "%r"));
    }
}

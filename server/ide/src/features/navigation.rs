//! Definitions, declarations, references and highlights of names.

use super::names::{AccessTracker, NameAccess, NameToken, meaning, name_at, occurrences, scopes_for};
use diagnostics::Snapshot;
use std::ops::Range;
use syntax::{DeclarationKind, DeclarationSite, ResolvedName, Scopes, Symbol, token_events};

/// A declaration in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclarationRange {
    /// The whole declaration.
    pub range: Range<usize>,
    /// The declared name.
    pub selection: Range<usize>,
}

/// The definitions or declarations of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GotoResult {
    /// The name at the cursor.
    pub origin: Range<usize>,
    /// Its declarations in text order; never empty.
    pub targets: Vec<DeclarationRange>,
}

/// An occurrence of the name at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The name.
    pub range: Range<usize>,
    /// Whether it is declared, read or written there.
    pub access: NameAccess,
}

/// The references that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFilter {
    /// Declarations and uses.
    All,
    /// Uses, without declarations.
    UsesOnly,
}

/// Finds definitions, declarations and references.
pub trait NavigationProvider {
    /// The definitions of the name at an offset.
    fn definition(&self, _offset: usize) -> Option<GotoResult> {
        None
    }

    /// The declaration of the name at an offset.
    fn declaration(&self, _offset: usize) -> Option<GotoResult> {
        None
    }

    /// The references to the name at an offset.
    fn references(&self, _offset: usize, _filter: ReferenceFilter) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// The occurrences of the name at an offset, each with its access.
    fn highlights(&self, _offset: usize) -> Vec<Highlight> {
        Vec::new()
    }

    /// The ranges that change together with the name at an offset (linked editing).
    fn linked_ranges(&self, _offset: usize) -> Vec<Range<usize>> {
        Vec::new()
    }
}

impl NavigationProvider for Snapshot {
    fn definition(&self, offset: usize) -> Option<GotoResult> {
        let (named, scopes, meant) = resolve(self, offset)?;
        let symbol = &scopes.symbols()[meant.symbol];
        let all = &symbol.declarations;
        let any = all.iter().any(|one| one.definition);
        let mut targets = Vec::new();
        if symbol.kind() == DeclarationKind::Register {
            targets = assignments(self, symbol, meant);
        }
        targets.extend(all.iter().filter(|one| one.definition || !any).map(place));
        Some(GotoResult { origin: named.range, targets })
    }

    fn declaration(&self, offset: usize) -> Option<GotoResult> {
        let (named, scopes, meant) = resolve(self, offset)?;
        let first = &scopes.symbols()[meant.symbol].declarations[0];
        Some(GotoResult { origin: named.range, targets: vec![place(first)] })
    }

    fn references(&self, offset: usize, filter: ReferenceFilter) -> Vec<Range<usize>> {
        let all = self.highlights(offset).into_iter();
        all.filter(|one| filter == ReferenceFilter::All || one.access != NameAccess::Declare)
            .map(|one| one.range)
            .collect()
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        let Some((_, scopes, meant)) = resolve(self, offset) else {
            return name_at(&self.file, offset).map_or(Vec::new(), |named| undeclared(self, &named.text));
        };
        let all = occurrences(self, &scopes.symbols()[meant.symbol], meant).into_iter();
        all.map(|one| Highlight { range: one.range, access: one.access }).collect()
    }

    fn linked_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        match resolve(self, offset) {
            Some((_, scopes, meant)) if scopes.symbols()[meant.symbol].kind() == DeclarationKind::Label => {
                self.references(offset, ReferenceFilter::All)
            }
            _ => Vec::new(),
        }
    }
}

/// The instructions that write a register. From the declaration of a range of registers nothing leads to those of its members.
fn assignments(snapshot: &Snapshot, symbol: &Symbol, meant: ResolvedName) -> Vec<DeclarationRange> {
    let written = occurrences(snapshot, symbol, meant).into_iter().filter(|one| one.access == NameAccess::Write);
    let place = |name: Range<usize>| {
        let instruction = snapshot.file.instruction_at(name.start).map(|instruction| instruction.range());
        DeclarationRange { range: instruction.unwrap_or_else(|| name.clone()), selection: name }
    };
    written.map(|one| place(one.range)).collect()
}

fn place(one: &DeclarationSite) -> DeclarationRange {
    DeclarationRange { range: one.whole.clone(), selection: one.declaration.name.range.clone() }
}

/// The occurrences of a name that is not declared, such as a special register.
fn undeclared(snapshot: &Snapshot, name: &str) -> Vec<Highlight> {
    let file = &snapshot.file;
    let scopes = Scopes::inside(file, &|function| file.holds(function, name));
    let mut found = Vec::new();
    for item in file.items().into_iter().filter(|item| file.holds(item.clone(), name)) {
        let mut place = AccessTracker::new(file);
        token_events(file, item, |event| {
            if let Some((text, range, access)) = place.process(event)
                && text == name
                && scopes.find(&text, range.start).is_none()
            {
                found.push(Highlight { range, access });
            }
        });
    }
    found.sort_by_key(|one| one.range.start);
    found.dedup();
    found
}

/// The name at an offset and its meaning.
pub(crate) fn resolve(snapshot: &Snapshot, offset: usize) -> Option<(NameToken, Scopes<'_>, ResolvedName)> {
    let named = name_at(&snapshot.file, offset)?;
    let scopes = scopes_for(snapshot, &named);
    let meant = meaning(&scopes, &named)?;
    Some((named, scopes, meant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    fn starts(snapshot: &Snapshot, at: usize) -> Vec<usize> {
        snapshot.references(at, ReferenceFilter::All).into_iter().map(|range| range.start).collect()
    }

    #[test]
    fn definitions() {
        let ask = |snapshot: &Snapshot, at| {
            snapshot
                .definition(at)
                .map_or(Vec::new(), |found| found.targets.iter().map(|place| place.selection.start).collect())
        };
        for (cursor, target, text) in [
            ("p];", "p)", ".entry k(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; }"),
            ("%r7+", "%r<", ".entry k() { .reg .b64 %r<9>; st.b64 [%r7+8], 1; }"),
            ("L;", "L:", ".entry k() { bra L; L: ret; }"),
            ("g+4", "g[", ".global .b8 g[8]; .entry k() { .reg .b64 a; ld.b8 a, [g+4]; }"),
            ("v.y", "v;", ".entry k() { .reg .v4 .f32 v; st.f32 [8], v.y; }"),
        ] {
            assert_eq!(ask(&snapshot(text), text.find(cursor).unwrap()), [text.find(target).unwrap()], "{text}");
        }
        assert!(
            ask(&snapshot(".entry k() { mov.u32 a, %tid.x; }"), 28).is_empty(),
            "special registers are declared nowhere"
        );
    }

    #[test]
    fn a_register_leads_to_its_assignments_then_to_its_declaration() {
        let text = ".entry k() { .reg .b32 %r<3>; mov.b32 %r1, 1; mov.b32 %r2, 2; add.u32 %r1, %r1, %r2; }";
        let snapshot = snapshot(text);
        let targets = |needle: &str| -> Vec<&str> {
            let found = snapshot.definition(text.find(needle).expect("is there") + 1).expect("a definition");
            found.targets.into_iter().map(|place| &text[place.range]).collect()
        };
        let declaration = ".reg .b32 %r<3>;";
        assert_eq!(targets("%r1, %r2"), ["mov.b32 %r1, 1;", "add.u32 %r1, %r1, %r2;", declaration]);
        assert_eq!(targets("%r2; }"), ["mov.b32 %r2, 2;", declaration]);
    }

    #[test]
    fn a_definition_has_a_body_and_a_declaration_comes_first() {
        let text = ".func f(); .entry k() { call f; } .func f() { ret; }";
        let snapshot = snapshot(text);
        let at = text.find("f; }").unwrap();
        let names = |found: Option<GotoResult>| {
            found.unwrap().targets.into_iter().map(|place| place.selection.start).collect::<Vec<_>>()
        };
        assert_eq!(names(snapshot.definition(at)), [text.rfind("f()").unwrap()]);
        assert_eq!(names(snapshot.declaration(at)), [text.find("f()").unwrap()]);
    }

    #[test]
    fn references_keep_to_the_scope() {
        let text = ".entry k() { .reg .b32 a, b; add.u32 a, b, b; { .reg .b32 b; mov.b32 b, 1; } }";
        let first = text.find("b;").unwrap();
        let expected = [first, text.find("b, b").unwrap(), text.find("b, b").unwrap() + 3];
        assert_eq!(starts(&snapshot(text), first), expected);
        assert_eq!(snapshot(text).references(first, ReferenceFilter::UsesOnly).len(), 2);
    }

    #[test]
    fn members_of_a_range_are_apart_and_its_declaration_means_all() {
        let text = ".entry k() { .reg .b32 %r<9>; add.u32 %r1, %r2, %r1; }";
        let snapshot = snapshot(text);
        let all = |what: &str| text.match_indices(what).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(starts(&snapshot, text.find("%r1").unwrap()), [all("%r<"), all("%r1")].concat());
        assert_eq!(starts(&snapshot, text.find("%r<").unwrap()), all("%r"));
    }

    #[test]
    fn functions_are_found_across_the_module_and_in_debug_sections() {
        let text = ".func f() { ret; } .entry k() { .reg .b32 f; mov.b32 f, 1; } .entry l() { call f; L: ret; }\n.section .debug_info\n{\n.b64 f\n.b64 L\n.b64 ff\n}\n";
        let snapshot = snapshot(text);
        let places = [text.find("f()").unwrap(), text.find("f; L").unwrap(), text.find("f\n").unwrap()];
        assert_eq!(starts(&snapshot, places[0]), places);
        assert_eq!(starts(&snapshot, places[2]), places);
        assert_eq!(starts(&snapshot, text.find("L:").unwrap()), [text.find("L:").unwrap(), text.find("L\n").unwrap()]);
    }

    #[test]
    fn highlights_say_what_is_written() {
        let text = ".entry k() { .reg .b32 a, b; .reg .pred p; ld.b32 a, [a+4]; @p st.b32 [a], a; call (a), f, (a); setp.eq.u32 p|q, a, b; bar.sync a; }";
        let accesses: String = snapshot(text)
            .highlights(text.find("a,").unwrap())
            .iter()
            .map(|one| match one.access {
                NameAccess::Declare => 'd',
                NameAccess::Read => 'r',
                NameAccess::Write => 'w',
            })
            .collect();
        assert_eq!(accesses, "dwrrrwrrr");
        let written = snapshot(text).highlights(text.find("p;").unwrap());
        assert_eq!(
            written.iter().map(|one| one.access).collect::<Vec<_>>(),
            [NameAccess::Declare, NameAccess::Read, NameAccess::Write]
        );
    }

    #[test]
    fn special_registers_are_found_where_nothing_hides_them() {
        let text =
            ".entry k() { mov.u32 a, %tid.x; { .reg .b32 %tid; mov.b32 %tid, 1; } } .entry l() { mov.u32 a, %tid.y; }";
        let expected = [text.find("%tid.x").unwrap(), text.find("%tid.y").unwrap()];
        assert_eq!(starts(&snapshot(text), expected[0]), expected);
        assert!(starts(&snapshot(text), text.find("mov").unwrap()).is_empty());
    }

    #[test]
    fn labels_link() {
        let text = ".entry k() { bra L; L: bra L; add.u32 a, a, a; }";
        assert_eq!(snapshot(text).linked_ranges(text.find("L:").unwrap()).len(), 3);
        assert!(snapshot(text).linked_ranges(text.find("a,").unwrap()).is_empty());
    }
}

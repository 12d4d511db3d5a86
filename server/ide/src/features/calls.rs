//! The call hierarchy: `call` instructions, and the functions that `.calltargets` lists.

use super::names::is_kernel;
use super::navigation::resolve;
use diagnostics::Snapshot;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::{
    DeclarationKind, DeclarationSite, NodeKind, RopeReader, Scopes, SourceFile, Symbol, TokenClass, TokenEvent,
    token_events,
};

/// A function in a hierarchy of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// The whole function.
    pub range: Range<usize>,
    /// The range of its name.
    pub selection: Range<usize>,
}

/// A caller or callee, with the call sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller or callee.
    pub other: Callable,
    /// The ranges of the calls, in the caller.
    pub at: Vec<Range<usize>>,
}

/// The call hierarchy.
pub trait CallHierarchyProvider {
    /// The function at an offset.
    fn callable(&self, _offset: usize) -> Option<Callable> {
        None
    }

    /// The callers of a function.
    fn incoming_calls(&self, _name: &str) -> Vec<Call> {
        Vec::new()
    }

    /// The callees of a function.
    fn outgoing_calls(&self, _name: &str) -> Vec<Call> {
        Vec::new()
    }
}

impl CallHierarchyProvider for Snapshot {
    fn callable(&self, offset: usize) -> Option<Callable> {
        if let Some((_, scopes, meant)) = resolve(self, offset)
            && scopes.symbols()[meant.symbol].kind() == DeclarationKind::Function
        {
            return Some(of(self, &scopes.symbols()[meant.symbol]));
        }
        let offset = self.file.clamp(offset);
        let scopes = Scopes::new(&self.file, offset..offset);
        let around = |one: &DeclarationSite| one.definition && one.whole.start <= offset && offset <= one.whole.end;
        let function = scopes
            .symbols()
            .iter()
            .find(|symbol| symbol.kind() == DeclarationKind::Function && symbol.declarations.iter().any(around))?;
        Some(of(self, function))
    }

    fn incoming_calls(&self, name: &str) -> Vec<Call> {
        let file = &self.file;
        let scopes = Scopes::inside(file, &|function| file.holds(function, name));
        let mut found = Groups::default();
        for (caller, body) in bodies(&scopes).filter(|(_, body)| file.holds(body.clone(), name)) {
            each_call(file, body, &scopes, |callee| callee == name, |_, at| found.add(caller, at));
        }
        found.calls(self, &scopes)
    }

    fn outgoing_calls(&self, name: &str) -> Vec<Call> {
        let file = &self.file;
        let module = Scopes::inside(file, &|_| false);
        let mut found = Groups::default();
        for (_, body) in bodies(&module).filter(|(caller, _)| *caller == name) {
            let scopes = Scopes::new(file, body.clone());
            each_call(file, body, &scopes, |_| true, |callee, at| found.add(callee, at));
        }
        found.calls(self, &module)
    }
}

/// The names and bodies of the module's functions.
fn bodies<'s>(scopes: &'s Scopes) -> impl Iterator<Item = (&'s str, Range<usize>)> {
    let functions =
        scopes.symbols().iter().filter(|symbol| symbol.kind() == DeclarationKind::Function && symbol.global);
    functions.flat_map(|symbol| {
        let bodies = symbol.declarations.iter().filter(|one| one.definition);
        bodies.map(|one| (symbol.name(), one.whole.clone()))
    })
}

/// Calls grouped by caller or callee, in the order of the first call.
#[derive(Default)]
struct Groups {
    all: Vec<(String, Vec<Range<usize>>)>,
    known: BTreeMap<String, usize>,
}

impl Groups {
    fn add(&mut self, name: &str, at: Range<usize>) {
        let index = *self.known.entry(name.to_owned()).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push((name.to_owned(), Vec::new()));
        }
        self.all[index].1.push(at);
    }

    fn calls(self, snapshot: &Snapshot, module: &Scopes) -> Vec<Call> {
        let callable = |name: &str| {
            let symbol =
                module.named(name).iter().map(|symbol| &module.symbols()[*symbol]).find(|symbol| symbol.global)?;
            Some(of(snapshot, symbol))
        };
        self.all.into_iter().filter_map(|(name, at)| Some(Call { other: callable(&name)?, at })).collect()
    }
}

/// Visits every direct call in a range with the name and range of the callee. Registers, and names that hide a function, are skipped.
fn each_call(
    file: &SourceFile,
    within: Range<usize>,
    scopes: &Scopes,
    wanted: impl Fn(&str) -> bool,
    mut see: impl FnMut(&str, Range<usize>),
) {
    let mut reader = RopeReader::new(file.text());
    let (mut call, mut targets, mut depth, mut done) = (false, false, 0usize, false);
    token_events(file, within.clone(), |piece| match piece {
        TokenEvent::Enter(NodeKind::Instruction, _) => (call, done) = (false, false),
        TokenEvent::Leave(NodeKind::Instruction, _) => call = false,
        TokenEvent::Enter(NodeKind::Targets, _) => targets = true,
        TokenEvent::Leave(NodeKind::Targets, _) => targets = false,
        TokenEvent::Enter(NodeKind::Arguments, _) => depth += 1,
        TokenEvent::Leave(NodeKind::Arguments, _) => depth -= 1,
        TokenEvent::Token(token) if token.kind == TokenClass::Mnemonic => {
            call = reader.read(token.range).text == "call"
        }
        TokenEvent::Token(token) if token.kind == TokenClass::Name && depth == 0 && (targets || (call && !done)) => {
            // The first name outside of parentheses is the function; a later one is a prototype.
            done = true;
            let name = reader.read(token.range);
            let inside = within.start <= name.range.start && name.range.end <= within.end;
            if inside && wanted(&name.text) {
                let meant = scopes.find(&name.text, name.range.start).map(|found| &scopes.symbols()[found.symbol]);
                if meant.is_some_and(|symbol| symbol.kind() == DeclarationKind::Function) {
                    see(&name.text, name.range);
                }
            }
        }
        _ => {}
    });
}

fn of(snapshot: &Snapshot, symbol: &Symbol) -> Callable {
    let one = symbol.declarations.iter().find(|one| one.definition).unwrap_or(&symbol.declarations[0]);
    let name = &one.declaration.name;
    Callable {
        name: name.text.to_string(),
        kernel: is_kernel(&snapshot.file, one),
        range: one.whole.clone(),
        selection: name.range.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    const TEXT: &str = ".func f(); .func g() { call f; ret; }\n.func f() { ret; }\n\
        .entry k() { .reg .b64 r; call (a), g, (b); call g; T: .calltargets f, g; call r, (), T; { .reg .b64 f; call f; } }\n";

    fn shown(calls: &[Call]) -> Vec<(&str, Vec<usize>)> {
        calls.iter().map(|call| (&*call.other.name, call.at.iter().map(|at| at.start).collect())).collect()
    }

    #[test]
    fn callers_and_callees() {
        let snapshot = snapshot(TEXT);
        let at = |what: &str, skip: usize| TEXT.find(what).unwrap() + skip;
        let (call, targets) = (at("call f", 5), at(".calltargets f", 13));
        assert_eq!(shown(&snapshot.incoming_calls("f")), [("g", vec![call]), ("k", vec![targets])]);
        let g = vec![at("(a), g", 5), at("call g", 5), at("f, g;", 3)];
        assert_eq!(shown(&snapshot.outgoing_calls("k")), [("g", g), ("f", vec![targets])]);
        assert_eq!(shown(&snapshot.incoming_calls("k")), []);
        assert_eq!(shown(&snapshot.outgoing_calls("nothing")), []);
    }

    #[test]
    fn the_function_at_an_offset() {
        let snapshot = snapshot(TEXT);
        let at = |offset: usize| snapshot.callable(offset).map(|one| (one.name, one.kernel, one.selection.start));
        let f = Some(("f".to_owned(), false, TEXT.find("f() { ret").unwrap()));
        assert_eq!(at(TEXT.find("f()").unwrap()), f, "a declaration leads to the definition");
        assert_eq!(at(TEXT.find("call f").unwrap() + 5), f);
        assert_eq!(at(TEXT.find("(a)").unwrap()).map(|(name, kernel, _)| (name, kernel)), Some(("k".to_owned(), true)));
        assert_eq!(crate::features::names::tests::snapshot("").callable(3), None);
    }
}

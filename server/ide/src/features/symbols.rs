//! The outline of a text: functions with their parameters, registers and labels, and the variables of the module.

use super::names::{is_kernel, type_words};
use diagnostics::Snapshot;
use std::cmp::Reverse;
use std::ops::Range;
use syntax::{DeclarationKind, DeclarationSite, Scopes, demangle};

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `.entry`
    Kernel,
    /// `.func`
    Function,
    /// A variable in a state space.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// `.reg`
    Register,
    /// A label.
    Label,
}

/// One entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The name, demangled; of a register range with its count, as in `%r<10>`.
    pub name: String,
    /// The name in the text, if it is mangled.
    pub mangled: Option<String>,
    /// Space and type; of a demangled function, its parameters.
    pub detail: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The whole declaration, for a function with its body.
    pub range: Range<usize>,
    /// The name.
    pub selection: Range<usize>,
    /// The symbols declared in it.
    pub children: Vec<DocumentSymbol>,
}

impl DocumentSymbol {
    /// A symbol with the demangled form of its name, and without children.
    pub(crate) fn new(
        name: &str,
        detail: String,
        kind: SymbolKind,
        range: Range<usize>,
        selection: Range<usize>,
    ) -> Self {
        let demangled = demangle(name);
        let is_function = matches!(kind, SymbolKind::Kernel | SymbolKind::Function);
        let detail = match &demangled {
            Some(found) if is_function && detail.is_empty() => found.parameters().to_owned(),
            _ => detail,
        };
        let mangled = demangled.is_some().then(|| name.to_owned());
        let name = demangled.map_or_else(|| name.to_owned(), |found| found.short);
        DocumentSymbol { name, mangled, detail, kind, range, selection, children: Vec::new() }
    }

    /// The name in the text.
    pub fn written_name(&self) -> &str {
        self.mangled.as_deref().unwrap_or(&self.name)
    }
}

/// The outline of a text.
pub trait DocumentSymbolProvider {
    /// The outline.
    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        Vec::new()
    }
}

impl DocumentSymbolProvider for Snapshot {
    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        let whole = 0..self.file.text().len_bytes();
        let scopes = Scopes::new(&self.file, whole);
        let mut flat: Vec<DocumentSymbol> = scopes
            .symbols()
            .iter()
            .flat_map(|symbol| &symbol.declarations)
            .filter_map(|one| symbol(self, one))
            .collect();
        flat.sort_by_key(|symbol| (symbol.range.start, Reverse(symbol.range.end), symbol.selection.start));
        nest(flat)
    }
}

fn symbol(snapshot: &Snapshot, declared: &DeclarationSite) -> Option<DocumentSymbol> {
    let declaration = &declared.declaration;
    let name = &declaration.name;
    let kind = match declaration.kind {
        DeclarationKind::Register if declared.parameter => SymbolKind::Parameter,
        DeclarationKind::Register => SymbolKind::Register,
        DeclarationKind::Label => SymbolKind::Label,
        DeclarationKind::Variable if declared.parameter => SymbolKind::Parameter,
        DeclarationKind::Variable if declaration.space.text == ".param" => return None,
        DeclarationKind::Variable => SymbolKind::Variable,
        DeclarationKind::Function if is_kernel(&snapshot.file, declared) => SymbolKind::Kernel,
        DeclarationKind::Function => SymbolKind::Function,
    };
    let text = declaration.count.map_or(name.text.to_string(), |count| format!("{}<{count}>", name.text));
    Some(DocumentSymbol::new(&text, type_words(declaration), kind, declared.whole.clone(), name.range.clone()))
}

/// Turns an ordered list into a tree: symbols in a function are its children. Labels have none, so that the outline stays flat.
fn nest(flat: Vec<DocumentSymbol>) -> Vec<DocumentSymbol> {
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    for symbol in flat {
        match roots.last_mut() {
            Some(function) if holds(function, &symbol) => function.children.push(symbol),
            _ => roots.push(symbol),
        }
    }
    roots
}

fn holds(outer: &DocumentSymbol, inner: &DocumentSymbol) -> bool {
    matches!(outer.kind, SymbolKind::Kernel | SymbolKind::Function) && inner.range.end <= outer.range.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;
    use std::fmt::Write;

    fn outline(symbols: &[DocumentSymbol], depth: usize, text: &mut String) {
        for symbol in symbols {
            let _ = writeln!(text, "{:depth$}{:?} {} {}", "", symbol.kind, symbol.name, symbol.detail);
            outline(&symbol.children, depth + 2, text);
        }
    }

    #[test]
    fn declarations_are_children_of_their_function() {
        let text = ".version 8.0\n.target sm_90\n.global .v4 .f32 g;\n.func (.reg .b32 r) f(.param .u64 p);\n\
            .visible .entry k(.param .u64 q)\n{ .reg .b32 %r<3>, x; { .param .b32 param0; .shared .b8 s[4]; }\nL1: ret; L2: ret; }\n";
        let mut shown = String::new();
        outline(&snapshot(text).document_symbols(), 0, &mut shown);
        assert_eq!(
            shown,
            "Variable g .global .v4 .f32\nFunction f \n  Parameter r .reg .b32\n  Parameter p .param .u64\nKernel k \n  \
             Parameter q .param .u64\n  Register %r<3> .reg .b32\n  Register x .reg .b32\n  Variable s .shared .b8\n  Label L1 \n  Label L2 \n"
        );
    }

    #[test]
    fn mangled_names_are_shown_as_their_authors_wrote_them() {
        let text = ".version 8.0\n.target sm_90\n.global .u32 _ZN8counters4binsE[4];\n\
            .visible .entry _Z5scaleIfEvPT_i(.param .u64 _Z5scaleIfEvPT_i_param_0)\n{ .shared .b8 _ZZ5scaleIfEvPT_iE4tile[4]; ret; }\n";
        let mut shown = String::new();
        let symbols = snapshot(text).document_symbols();
        outline(&symbols, 0, &mut shown);
        assert_eq!(
            shown,
            "Variable counters::bins .global .u32\nKernel scale<float> (float*, int)\n  Parameter scale<float>_param_0 .param .u64\n  \
             Variable scale<float>(float*, int)::tile .shared .b8\n"
        );
        assert_eq!(symbols[1].written_name(), "_Z5scaleIfEvPT_i");
    }

    #[test]
    fn ranges_of_symbols_and_names_are_nested() {
        fn check(symbols: &[DocumentSymbol], around: Range<usize>) {
            for symbol in symbols {
                assert!(around.start <= symbol.range.start && symbol.range.end <= around.end, "{symbol:?}");
                assert!(
                    symbol.range.start <= symbol.selection.start && symbol.selection.end <= symbol.range.end,
                    "{symbol:?}"
                );
                check(&symbol.children, symbol.range.clone());
            }
        }
        for text in [
            "",
            ".entry",
            ".entry k(.param .u64 p { .reg .b32 x; L: ",
            "} L: .reg .b32 %r<3>; }",
            "\u{1F600} .func f( .entry k { ",
        ] {
            check(&snapshot(text).document_symbols(), 0..text.len());
        }
    }
}

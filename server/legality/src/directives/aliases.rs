//! `.alias`: a second name for a function, which is declared without a body and as the function.

use crate::directives::prototypes::{may_return, signature_difference};
use crate::undeclared_name::undeclared_name;
use diagnostics::Diagnostic;
use diagnostics::registry::{CONFLICTING_DECLARATION, DUPLICATE_DECLARATION, INVALID_DECLARATION};
use foldhash::HashMap;
use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use syntax::{DeclarationKind, FunctionBody, FunctionHead, Item, LintFile, Operand, Token, WalkEvent};

/// The directive.
pub(super) const ALIAS: &str = ".alias";

/// What a name means before an alias.
enum AliasedName<'a> {
    /// A function, by its last declaration, and whether any has a body.
    Function(Rc<FunctionHead<'a>>, FunctionBody),
    Variable,
    /// It is not declared, or not by an item of its own.
    Unknown,
}

/// Where an `.alias` directive is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AliasPlace {
    Module,
    Body,
}

/// An `.alias` directive.
struct AliasDirective<'a> {
    place: AliasPlace,
    /// The index of its item, or of the function in whose body it is.
    at: usize,
    name: Token<'a>,
    function: Token<'a>,
}

/// Checks the aliases of a module, which start at the given offsets in ascending order.
pub(super) fn check(file: &LintFile, items: &[Item], starts: &[usize], diagnostics: &mut Vec<Diagnostic>) {
    let mut aliases: Vec<AliasDirective> = starts.iter().filter_map(|start| read(file, items, *start)).collect();
    aliases.extend(in_bodies(file, items));
    aliases.sort_by_key(|alias| alias.name.range.start);
    let mut module = ModuleNames::new(items, &aliases);
    let mut first: HashMap<&str, &Token> = HashMap::default();
    for alias in &aliases {
        let found = match first.entry(&alias.name.text) {
            Entry::Occupied(known) => Some(duplicate(&alias.name, known.get())),
            Entry::Vacant(place) => {
                place.insert(&alias.name);
                match alias.place {
                    AliasPlace::Module => {
                        module.read_to(alias.at);
                        error(&module, &alias.name, &alias.function)
                    }
                    AliasPlace::Body => {
                        module.read_to(alias.at + 1);
                        error_in_body(&module, &items[alias.at], alias)
                    }
                }
            }
        };
        diagnostics.extend(found);
    }
}

/// The alias that begins at an offset; `None` if it is not well formed.
fn read<'a>(file: &'a LintFile, items: &[Item<'a>], start: usize) -> Option<AliasDirective<'a>> {
    let at = items.binary_search_by_key(&start, |item| item.range().start).ok()?;
    let range = items[at].range();
    let tokens = Operand::new(Token { text: file.slice(&range).into(), range }).tokens();
    directive(&tokens, at, AliasPlace::Module)
}

/// The aliases in the bodies of functions.
fn in_bodies<'a>(file: &'a LintFile, items: &[Item<'a>]) -> Vec<AliasDirective<'a>> {
    if !file.holds(0..file.text().len_bytes(), ALIAS) {
        return Vec::new();
    }
    let functions = items.iter().enumerate().filter(|(_, item)| item.is_function() && file.holds(item.range(), ALIAS));
    let read = |(at, item): (usize, &Item)| {
        let range = item.range();
        let tokens = Operand::new(Token { text: file.slice(&range).into(), range }).tokens();
        let starts = (0..tokens.len()).filter(|start| tokens[*start].text == ALIAS);
        starts.filter_map(|start| directive(&tokens[start..], at, AliasPlace::Body)).collect::<Vec<_>>()
    };
    functions.flat_map(read).collect()
}

/// The alias that begins with the first of some tokens; `None` if it is not well formed.
fn directive<'a>(tokens: &[Token], at: usize, place: AliasPlace) -> Option<AliasDirective<'a>> {
    let [_, name, comma, function, ..] = tokens else { return None };
    let owned = |token: &Token| Token { text: token.text.to_string().into(), range: token.range.clone() };
    (comma.text == ",").then(|| AliasDirective { place, at, name: owned(name), function: owned(function) })
}

/// What the names in aliases mean. A module may have as many aliases as functions, so each item is looked at once.
struct ModuleNames<'i, 'a> {
    items: &'i [Item<'a>],
    /// The number of items that were read.
    at: usize,
    names: HashMap<String, AliasedName<'a>>,
    /// The names of functions that bodies declare, each with the index of the first such item. Made on demand.
    in_bodies: OnceCell<HashMap<String, usize>>,
}

impl<'i, 'a> ModuleNames<'i, 'a> {
    fn new(items: &'i [Item<'a>], aliases: &[AliasDirective]) -> Self {
        let names = aliases.iter().flat_map(|alias| [&alias.name, &alias.function]);
        let names = names.map(|name| (name.text.to_string(), AliasedName::Unknown)).collect();
        ModuleNames { items, at: 0, names, in_bodies: OnceCell::new() }
    }

    /// Reads the items before the one of an index.
    fn read_to(&mut self, at: usize) {
        for item in &self.items[self.at..at.max(self.at)] {
            let declared = item.declarations().into_iter().map(|one| one.name.text);
            let named: Vec<_> = declared.filter(|name| self.names.contains_key(&**name)).collect();
            if named.is_empty() {
                continue;
            }
            let head = item.head().and_then(|head| head.function()).map(Rc::new);
            for name in named {
                let Some(meaning) = self.names.get_mut(&*name) else { continue };
                *meaning = match (&head, &*meaning) {
                    (Some(head), AliasedName::Function(_, FunctionBody::Defined)) => {
                        AliasedName::Function(head.clone(), FunctionBody::Defined)
                    }
                    (Some(head), _) => AliasedName::Function(head.clone(), head.body),
                    (None, _) => AliasedName::Variable,
                };
            }
        }
        self.at = at.max(self.at);
    }

    /// Whether the body of an item that was read declares a function.
    fn is_declared_in_body(&self, name: &str) -> bool {
        let known = self.in_bodies.get_or_init(|| functions_in_bodies(self.items));
        known.get(name).is_some_and(|at| *at < self.at)
    }
}

/// The functions that bodies declare, each with the index of the first such item.
fn functions_in_bodies(items: &[Item]) -> HashMap<String, usize> {
    let mut found = HashMap::default();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.is_function()) {
        item.walk(|event| {
            if let WalkEvent::Declare(one) = event
                && one.kind == DeclarationKind::Function
            {
                found.entry(one.name.text.into_owned()).or_insert(at);
            }
        });
    }
    found
}

fn duplicate(name: &Token, known: &Token) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_DECLARATION, name.range.clone(), format!("duplicate alias `{}`", name.text))
        .help("remove one of them")
        .related(known.range.clone(), "first alias here")
}

/// What is wrong with an alias in the body of a function. Measured: it may be a name of that function.
fn error_in_body(module: &ModuleNames, function: &Item, alias: &AliasDirective) -> Option<Diagnostic> {
    let own = function.declarations().into_iter().next()?.name;
    if own.text != alias.name.text || own.text == alias.function.text {
        return error(module, &alias.name, &alias.function);
    }
    let aliased = &alias.function;
    let is_known = matches!(module.names.get(&*aliased.text), Some(AliasedName::Function(..) | AliasedName::Variable));
    (!is_known && !module.is_declared_in_body(&aliased.text))
        .then(|| undeclared_name(aliased).help("declare the function before this directive"))
}

/// What is wrong with an alias after the items that were read.
fn error(module: &ModuleNames, name: &Token, function: &Token) -> Option<Diagnostic> {
    if name.text == function.text {
        let message = format!("`{}` is an alias of itself", name.text);
        return Some(invalid(function, message).help("write the name of another function"));
    }
    let mut heads = Vec::new();
    for token in [name, function] {
        match module.names.get(&*token.text) {
            Some(AliasedName::Function(head, body)) => heads.push((head.clone(), *body)),
            Some(AliasedName::Variable) => {
                let message = format!("expected a function, found variable `{}`", token.text);
                return Some(invalid(token, message).help("only functions have aliases"));
            }
            _ if module.is_declared_in_body(&token.text) => return None,
            _ => {
                return Some(undeclared_name(token).help("declare the function before this directive"));
            }
        }
    }
    let [(alias, body), (aliased, _)] = &heads[..] else { return None };
    kind_error([(name, alias), (function, aliased)]).or_else(|| linkage_error(function, aliased)).or_else(|| {
        if *body == FunctionBody::Defined {
            let message = format!("alias `{}` is a function with a body", name.text);
            return Some(invalid(name, message).help("declare it without a body, or remove the alias"));
        }
        let difference = signature_difference(aliased, alias)
            .or_else(|| (may_return(aliased) != may_return(alias)).then(|| "only one is `.noreturn`".to_owned()))?;
        let message =
            format!("conflicting declarations of alias `{}` and `{}`: {difference}", name.text, function.text);
        Some(
            Diagnostic::new(&CONFLICTING_DECLARATION, name.range.clone(), message)
                .help("make both declarations the same")
                .related(alias.name.range.clone(), "alias declared here")
                .related(aliased.name.range.clone(), "function declared here"),
        )
    })
}

fn kind_error(names: [(&Token, &FunctionHead); 2]) -> Option<Diagnostic> {
    let (token, _) = names.into_iter().find(|(_, head)| head.kind.text == ".entry")?;
    Some(invalid(token, format!("kernel `{}` in an alias", token.text)).help("only functions have aliases"))
}

/// The error of a function whose linkage allows no alias.
fn linkage_error(token: &Token, function: &FunctionHead) -> Option<Diagnostic> {
    let linkage = &function.linkage.text;
    matches!(&**linkage, ".weak" | ".extern").then(|| {
        let message = format!("`{linkage}` function `{}` has an alias", token.text);
        invalid(token, message).help(format!("remove `{linkage}`, or remove the alias"))
    })
}

fn invalid(token: &Token, message: String) -> Diagnostic {
    Diagnostic::new(&INVALID_DECLARATION, token.range.clone(), message)
}

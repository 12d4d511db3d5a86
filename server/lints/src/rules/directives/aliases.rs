//! `.alias`: a second name for a function, which is declared without a body and as the function.

use super::prototypes::{may_return, signature_difference};
use crate::undeclared_name::undeclared_name;
use diagnostics::Diagnostic;
use diagnostics::registry::{CONFLICTING_DECLARATION, DUPLICATE_DECLARATION, INVALID_DECLARATION};
use syntax::{DeclarationKind, FunctionBody, FunctionHead, Item, LintFile, Operand, Token, WalkEvent};

/// The directive.
pub(super) const ALIAS: &str = ".alias";

/// What a name means before an alias.
enum AliasedName<'a> {
    /// A function, by its last declaration, and whether any has a body.
    Function(Box<FunctionHead<'a>>, FunctionBody),
    Variable,
    /// It is not declared, or not by an item of its own.
    Unknown,
}

/// Checks the aliases of a module, which start at the given offsets.
pub(super) fn check(file: &LintFile, items: &[Item], starts: &[usize], diagnostics: &mut Vec<Diagnostic>) {
    let mut names: Vec<Token> = Vec::new();
    for start in starts {
        let Ok(at) = items.binary_search_by_key(start, |item| item.range().start) else { continue };
        let range = items[at].range();
        let tokens = Operand::new(Token { text: file.slice(&range).into(), range }).tokens();
        let [_, name, comma, function, ..] = &tokens[..] else { continue };
        if comma.text != "," {
            continue;
        }
        let found = match names.iter().find(|known| known.text == name.text) {
            Some(known) => Some(duplicate(name, known)),
            None => error(&items[..at], name, function),
        };
        diagnostics.extend(found);
        names.push(Token { text: name.text.to_string().into(), range: name.range.clone() });
    }
}

fn duplicate(name: &Token, known: &Token) -> Diagnostic {
    Diagnostic::new(&DUPLICATE_DECLARATION, name.range.clone(), format!("duplicate alias `{}`", name.text))
        .help("remove one of them")
        .related(known.range.clone(), "first alias here")
}

/// What is wrong with an alias after some items.
fn error(before: &[Item], name: &Token, function: &Token) -> Option<Diagnostic> {
    if name.text == function.text {
        let message = format!("`{}` is an alias of itself", name.text);
        return Some(invalid(function, message).help("write the name of another function"));
    }
    let mut heads = Vec::new();
    for token in [name, function] {
        match meaning(before, token) {
            AliasedName::Function(head, body) => heads.push((head, body)),
            AliasedName::Variable => {
                let message = format!("expected a function, found variable `{}`", token.text);
                return Some(invalid(token, message).help("only functions have aliases"));
            }
            AliasedName::Unknown if is_declared_in_body(before, token) => return None,
            AliasedName::Unknown => {
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

/// The last declaration of a name.
fn meaning<'a>(before: &[Item<'a>], name: &Token) -> AliasedName<'a> {
    let mut meaning = AliasedName::Unknown;
    for item in before {
        if !item.declarations().iter().any(|declaration| declaration.name.text == name.text) {
            continue;
        }
        meaning = match (item.head().and_then(|head| head.function()), &meaning) {
            (Some(head), AliasedName::Function(_, FunctionBody::Defined)) => {
                AliasedName::Function(Box::new(head), FunctionBody::Defined)
            }
            (Some(head), _) => {
                let body = head.body;
                AliasedName::Function(Box::new(head), body)
            }
            (None, _) => AliasedName::Variable,
        };
    }
    meaning
}

/// Whether a body declares a function.
fn is_declared_in_body(before: &[Item], name: &Token) -> bool {
    let mut is_declared = false;
    for item in before.iter().filter(|item| item.is_function()) {
        item.walk(|event| {
            is_declared |= matches!(&event, WalkEvent::Declare(one) if one.kind == DeclarationKind::Function && one.name.text == name.text);
        });
    }
    is_declared
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

//! The variables of a module: linkage, state space, size.

use crate::directives::requires;
use crate::directives::storage;
use crate::directives::storage::StoragePlace;
use crate::directives::values::ValueCheck;
use diagnostics::registry::{INVALID_DECLARATION, INVALID_INITIAL_VALUE};
use diagnostics::{Context, Diagnostic};
use std::cell::OnceCell;
use syntax::{Declaration, DeclarationKind, Declarator, ItemHead, LintFile, Names, Token, VariableHead};

/// The maximum length of the declaration of a variable in a function that is read, in bytes.
const MAX_DECLARATION: usize = 1 << 16;

/// The maximum distance of such a variable's name from the start of its declaration, in bytes.
const MAX_DISTANCE: usize = 256;

/// Checks a declaration of variables.
pub(super) fn check<'a>(
    head: &ItemHead<'a>,
    variable: &VariableHead<'a>,
    names: &Names<'a>,
    context: &Context<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let VariableHead { storage, declarators, .. } = variable;
    storage::check_alignment(storage.alignment.as_ref(), diagnostics);
    if let Some(second) = &storage.second_space {
        let message = format!("conflicting state spaces `{}` and `{}`", storage.space.text, second.text);
        diagnostics
            .push(Diagnostic::new(&INVALID_DECLARATION, second.range.clone(), message).help("keep one state space"));
        return;
    }
    if storage.space.text.is_empty() {
        let found = Diagnostic::new(&INVALID_DECLARATION, storage.ty.range.clone(), "missing state space");
        return diagnostics.push(found.help("begin the declaration with a state space, such as `.global`"));
    }
    check_space(variable, context, diagnostics);
    if variable.linkage.text == ".common" && isa::types::is_opaque(&storage.ty.text) {
        let message = format!("`.common` variable of type `{}`", storage.ty.text);
        let found = Diagnostic::new(&INVALID_DECLARATION, storage.ty.range.clone(), message);
        diagnostics.push(found.help("remove `.common`"));
    }
    let own_names = OnceCell::new();
    for declarator in declarators {
        storage::check(StoragePlace::Module, (storage, declarator), context, diagnostics);
        diagnostics.extend(missing_size(variable, declarator));
        let Some(value) = declarator.value else { continue };
        match without_values(variable) {
            Some(what) => {
                let token = head.tokens_from(value).next();
                let range = token.map_or(declarator.name.range.clone(), |token| token.range);
                let message = format!("initial value of {what}");
                let help = "remove the value, and store it in the kernel or define the variable elsewhere";
                diagnostics.push(Diagnostic::new(&INVALID_INITIAL_VALUE, range, message).help(help));
            }
            None => ValueCheck { head, variable, own_names: &own_names, names, context, diagnostics }.check(declarator),
        }
    }
}

/// Checks the initial value of a variable that a function declares in `.global` or `.const`.
pub(super) fn check_local_value<'a>(
    declaration: &Declaration<'a>,
    names: &Names<'a>,
    (file, context): (&LintFile, &Context),
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_constant_place = matches!(&*declaration.space.text, ".global" | ".const");
    if declaration.kind != DeclarationKind::Variable || !is_constant_place {
        return;
    }
    let (start, name_end) = (declaration.space.range.start, declaration.name.range.end);
    // Each name reads the declaration again.
    if name_end.saturating_sub(start) > MAX_DISTANCE {
        return;
    }
    let end_of = |from: usize, signs: &[u8]| file.find_code(from..file.clamp(from + MAX_DECLARATION), signs);
    if end_of(name_end, b"=,;").is_none_or(|at| file.text().byte(at) != b'=') {
        return;
    }
    let Some(last) = end_of(start, b";") else { return };
    let range = start..last + 1;
    let head = ItemHead::declaration(Token { text: file.slice(&range).into(), range });
    let Some(variable) = head.variable() else { return };
    let declarator = variable.declarators.iter().find(|declarator| declarator.name.range == declaration.name.range);
    if let Some(declarator) = declarator {
        let own_names = OnceCell::new();
        ValueCheck { head: &head, variable: &variable, own_names: &own_names, names, context, diagnostics }
            .check(declarator);
    }
}

/// Checks the state space of the variables.
fn check_space(variable: &VariableHead, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let space = &variable.storage.space;
    match &*space.text {
        ".reg" | ".local" => {
            let feature = format!("variables of a module in `{}`", space.text);
            requires::check(&feature, space.range.clone(), context, diagnostics);
        }
        ".param" => diagnostics.push(
            Diagnostic::new(&INVALID_DECLARATION, space.range.clone(), "parameters must be declared in functions")
                .help("use `.global` or `.const`"),
        ),
        _ => {}
    }
    if variable.linkage.text == ".common" && space.text != ".global" {
        let message = format!("`.common` variables must be in `.global`, found `{}`", space.text);
        diagnostics.push(
            Diagnostic::new(&INVALID_DECLARATION, space.range.clone(), message)
                .help("remove `.common`, or write `.global`"),
        );
    }
}

/// The diagnostic for an array whose size neither a dimension nor an initial value gives.
fn missing_size(variable: &VariableHead, declarator: &Declarator) -> Option<Diagnostic> {
    let sized_elsewhere = match declarator.value {
        // The value gives the first dimension only.
        Some(_) => declarator.dimensions.iter().skip(1).all(|size| *size > 0),
        // Another module gives the first dimension only, too.
        None => variable.linkage.text == ".extern" && declarator.dimensions.iter().skip(1).all(|size| *size > 0),
    };
    (declarator.dimensions.contains(&0) && !sized_elsewhere).then(|| storage::no_size(&declarator.name))
}

/// What the variables are, if such variables have no initial values.
fn without_values(variable: &VariableHead) -> Option<String> {
    match &*variable.storage.space.text {
        _ if variable.linkage.text == ".extern" => Some("an `.extern` variable".to_owned()),
        ".global" | ".const" => None,
        space => Some(format!("a variable in `{space}`")),
    }
}

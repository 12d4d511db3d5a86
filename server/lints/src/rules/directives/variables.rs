//! The variables of a module: linkage, state space, size.

use super::requires;
use super::storage::{self, StoragePlace};
use super::values::ValueCheck;
use diagnostics::registry::{INVALID_DECLARATION, INVALID_INITIAL_VALUE};
use diagnostics::{Context, Diagnostic};
use syntax::{ItemHead, Names, VariableHead};

/// Checks a declaration of variables.
pub(super) fn check<'a>(
    head: &ItemHead<'a>,
    variable: &VariableHead<'a>,
    names: &Names<'a>,
    context: &Context<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let VariableHead { linkage, storage, declarators } = variable;
    let space = &storage.space;
    storage::check_alignment(storage.alignment.as_ref(), diagnostics);
    if let Some(second) = &storage.second_space {
        let message = format!("conflicting state spaces `{}` and `{}`", space.text, second.text);
        diagnostics
            .push(Diagnostic::new(&INVALID_DECLARATION, second.range.clone(), message).help("keep one state space"));
        return;
    }
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
    if linkage.text == ".common" && space.text != ".global" {
        let message = format!("`.common` variables must be in `.global`, found `{}`", space.text);
        diagnostics.push(
            Diagnostic::new(&INVALID_DECLARATION, space.range.clone(), message)
                .help("remove `.common`, or write `.global`"),
        );
    }
    for declarator in declarators {
        storage::check(StoragePlace::Module, (storage, declarator), context, diagnostics);
        let is_unsized = declarator.dimensions.contains(&0);
        let from_value = declarator.value.is_some() && declarator.dimensions.iter().skip(1).all(|size| *size > 0);
        let Some(value) = declarator.value else {
            if is_unsized && linkage.text != ".extern" {
                diagnostics.push(storage::no_size(&declarator.name));
            }
            continue;
        };
        if is_unsized && !from_value {
            diagnostics.push(storage::no_size(&declarator.name));
        }
        let refused = match &*space.text {
            _ if linkage.text == ".extern" => Some("an `.extern` variable".to_owned()),
            ".global" | ".const" => None,
            space => Some(format!("a variable in `{space}`")),
        };
        if let Some(what) = refused {
            let token = head.tokens_from(value).next();
            let range = token.map_or(declarator.name.range.clone(), |token| token.range);
            let message = format!("initial value of {what}");
            let help = "remove the value, and store it in the kernel or define the variable elsewhere";
            diagnostics.push(Diagnostic::new(&INVALID_INITIAL_VALUE, range, message).help(help));
        } else {
            ValueCheck { head, variable, names, context, diagnostics }.check(declarator);
        }
    }
}

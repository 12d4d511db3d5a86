//! `duplicate-declaration` in functions, and declarations in their bodies.

use crate::directives::{functions, requires, storage, variables};
use diagnostics::registry::DUPLICATE_DECLARATION;
use diagnostics::{Context, Diagnostic};
use syntax::{Declaration, DeclarationKind, FunctionHead, LabelKind, LintFile, Names, Token, WalkEvent};

/// The number of scopes in the parameters of a function: its own and the module's.
const PARAMETERS: usize = 2;

/// The maximum length of what is read between a label and its directive, in bytes.
const MAX_GAP: usize = 1024;

/// Follows the walk through an item.
#[derive(Default)]
pub struct LocalNames {
    /// The duplicates among the parameters, which are errors if the function has a body.
    parameters: Vec<Diagnostic>,
}

impl LocalNames {
    /// Handles an event before `names` do.
    pub fn follow<'a>(
        &mut self,
        event: &WalkEvent<'a>,
        names: &Names<'a>,
        (file, context): (&LintFile, &Context),
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        match event {
            WalkEvent::EnterBlock => diagnostics.append(&mut self.parameters),
            WalkEvent::Leave => self.parameters.clear(),
            WalkEvent::Declare(declaration) if names.depth() >= PARAMETERS && declaration.broken => {
                // Each name of `.b32 a, b` is a declaration of its own.
                let error = storage::space_error(declaration);
                diagnostics.extend(error.filter(|error| diagnostics.last() != Some(error)));
            }
            WalkEvent::Declare(declaration) if names.depth() >= PARAMETERS => {
                let is_parameter = names.depth() == PARAMETERS;
                let duplicate = names.repeated(declaration).and_then(|known| duplicate(declaration, known));
                if is_parameter {
                    self.parameters.extend(duplicate);
                } else {
                    diagnostics.extend(duplicate);
                    storage::check_local(declaration, file, diagnostics);
                    variables::check_local_value(declaration, names, (file, context), diagnostics);
                    // The lists after labels: `L: .branchtargets M;`.
                    if let Some(word) = declaration.directive.split_whitespace().next() {
                        requires::check(word, declaration.name.range.clone(), context, diagnostics);
                    }
                    if let Some(prototype) = prototype(declaration, file) {
                        functions::check_prototype(&prototype, context, diagnostics);
                    }
                    for word in [&declaration.space, &declaration.ty] {
                        // Measured: an array of 128-bit elements is only memory, which every version has.
                        let is_checked = match &*word.text {
                            ".b128" => !declaration.array,
                            text => matches!(text, ".f16x2" | ".tex"),
                        };
                        if is_checked {
                            requires::check(&word.text, word.range.clone(), context, diagnostics);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// The prototype after a label.
fn prototype<'a>(declaration: &'a Declaration, file: &LintFile) -> Option<FunctionHead<'a>> {
    if declaration.label() != Some(LabelKind::CallPrototype) {
        return None;
    }
    let name_end = declaration.name.range.end;
    let start = file.find_code(name_end..file.clamp(name_end + MAX_GAP), b".")?;
    let text: &str = &declaration.directive;
    FunctionHead::prototype(Token { text: text.into(), range: start..start + text.len() })
}

/// The diagnostic of a name that is declared again. Functions that are declared in functions belong to the module.
fn duplicate(declaration: &Declaration, known: &Declaration) -> Option<Diagnostic> {
    let kinds = [declaration.kind, known.kind];
    if kinds.contains(&DeclarationKind::Function) {
        return None;
    }
    let name = |declaration: &Declaration| match declaration.count {
        Some(count) => format!("{}<{count}>", declaration.name.text),
        None => declaration.name.text.to_string(),
    };
    let (what, help) = match declaration.kind {
        DeclarationKind::Label => ("label", "rename one of them"),
        _ => ("declaration of", "rename or remove one of them"),
    };
    let mut found = Diagnostic::new(
        &DUPLICATE_DECLARATION,
        declaration.name.range.clone(),
        format!("duplicate {what} `{}`", name(declaration)),
    )
    .related(known.name.range.clone(), "first declared here");
    if declaration.name.text != known.name.text {
        found = found.help(format!("`{}` and `{}` overlap; rename one of them", name(known), name(declaration)));
    } else {
        found = found.help(help);
    }
    Some(found)
}

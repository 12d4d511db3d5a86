//! Directives and declarations: names, types, spaces, alignments, values, prototypes, and what directives require.
//!
//! The rules are measured with the assembler (`tests/evidence/directives`).

mod aliases;
mod debug;
mod functions;
mod local_names;
mod memory_limits;
pub mod pragmas;
mod prototypes;
mod requires;
mod section_data;
mod section_labels;
mod source_files;
mod source_locations;
mod storage;
mod tuning;
mod values;
mod variables;

pub use crate::directives::local_names::LocalNames;
pub use crate::directives::pragmas::PRAGMA;
pub use crate::directives::pragmas::check as check_pragmas;
pub use crate::directives::requires::check as check_requirement;
pub use crate::directives::section_data::check as check_section_data;
pub use crate::directives::source_locations::unknown_locations;

use crate::summary::{ModuleDirective, Summary};
use diagnostics::{Context, Diagnostic};
use rayon::prelude::*;
use syntax::{Item, LintFile, Names};

/// The minimum number of repeated names that a thread checks at once.
const MIN_PAIRS: usize = 64;

/// Checks the head of a function or a variable, as far as no other item decides.
pub fn check_item<'a>(item: &Item<'a>, names: &Names<'a>, context: &Context<'a>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(head) = item.head() else {
        let word = item.directive();
        // The rule `address_size` also knows its fix.
        if word.text == ".address_size" {
            return;
        }
        return requires::check(&word.text, word.range, context, diagnostics);
    };
    let function = head.function();
    requires::check_words(&head, function.as_ref(), context, diagnostics);
    if let Some(function) = &function {
        functions::check(function, context, diagnostics);
        tuning::check(function, diagnostics);
    } else if let Some(variable) = head.variable() {
        variables::check(&head, &variable, names, context, diagnostics);
    }
}

/// The directive of an item, if other items matter for it.
pub fn module_directive(file: &LintFile, item: &Item) -> Option<ModuleDirective> {
    match &*item.directive().text {
        aliases::ALIAS => Some(ModuleDirective::Alias),
        source_files::FILE => source_files::read(file, item),
        _ => None,
    }
}

/// Checks the items that declare a name again, each with the item that declares it first, and what only the whole module decides.
pub fn check_module(
    file: &LintFile,
    items: &[Item],
    repeated: &[(usize, usize)],
    summaries: &[(usize, &Summary)],
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let check_pair = |(first, later): &(usize, usize)| prototypes::check(file, &items[*first], &items[*later]);
    diagnostics.par_extend(repeated.par_iter().with_min_len(MIN_PAIRS).flat_map_iter(check_pair));
    debug::check(file, items, context, diagnostics);
    memory_limits::check(file, items, context, diagnostics);
    let is_alias = |summary: &Summary| matches!(summary.directive, Some(ModuleDirective::Alias));
    let aliases: Vec<_> = summaries.iter().filter(|(_, summary)| is_alias(summary)).map(|(start, _)| *start).collect();
    aliases::check(file, items, &aliases, diagnostics);
    source_files::check(summaries, diagnostics);
    let unknown: Vec<_> = summaries.iter().map(|(base, summary)| (*base, &*summary.unknown_locations)).collect();
    if unknown.iter().any(|(_, unknown)| !unknown.is_empty()) {
        source_locations::check(file, items, &unknown, diagnostics);
    }
}

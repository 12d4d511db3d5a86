//! Strings of `.pragma` directives: where they may be, and their values. The assembler
//! compares the start of a string with the words that it knows, and ignores other strings.

use crate::directives::requires;
use crate::directives::section_data::SECTION;
use diagnostics::registry::{DIRECTIVE_RANGE, UNSUPPORTED_DIRECTIVE};
use diagnostics::{Context, Diagnostic};
use isa::directives::{DirectivePlace, at};
use std::ops::Range;
use syntax::{Item, LintFile, Pragma, PragmaPlace, pragmas};

/// The directive.
pub const PRAGMA: &str = ".pragma";

/// The only one of the known strings that may be anywhere.
const ANYWHERE: &str = "nounroll";
const FREQUENCY: &str = "frequency";
const SPILLING: &str = "enable_smem_spilling";

/// Checks the `.pragma` directives of an item.
pub fn check(file: &LintFile, item: &Item, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let item_range = item.range();
    // In a debug section, which can be most of the text, a directive is a syntax error.
    if item.directive().text == SECTION || !file.holds(item_range.clone(), PRAGMA) {
        return;
    }
    let text = file.slice(&item_range);
    let named = || at(DirectivePlace::Pragma).map(|known| known.word).filter(|word| *word != ANYWHERE);
    if isa::directives::unsupported(PRAGMA, &context.module).is_none() && !named().any(|word| text.contains(word)) {
        return;
    }
    let is_device_function = || item.head().and_then(|head| Some(head.function()?.kind.text == ".func"));
    for pragma in pragmas(&text) {
        let whole = |part: &Range<usize>| item_range.start + part.start..item_range.start + part.end;
        // Elsewhere the directive is the item, or a word of its head, and checked with it.
        if pragma.place == PragmaPlace::Body {
            requires::check(PRAGMA, whole(&pragma.directive), context, diagnostics);
        }
        let Some(known) = named().find(|word| pragma.text.starts_with(word)) else { continue };
        let place = whole(&pragma.range);
        if pragma.place == PragmaPlace::Outside {
            let message = format!("`.pragma \"{known}\"` is only allowed in a function");
            let help = "move it into the body of the function, between its statements";
            diagnostics.push(Diagnostic::new(&UNSUPPORTED_DIRECTIVE, place, message).help(help));
            continue;
        }
        requires::check(known, place.start..place.start + known.len(), context, diagnostics);
        if known == SPILLING && is_device_function() == Some(true) {
            let message = format!("`.pragma \"{SPILLING}\"` is not allowed in a device function");
            let help = "write it in the kernels that call the function";
            diagnostics.push(Diagnostic::new(&UNSUPPORTED_DIRECTIVE, place, message).help(help));
        } else if known == FREQUENCY {
            check_frequency(&pragma, place, diagnostics);
        }
    }
}

/// Checks the number of a `frequency`.
fn check_frequency(pragma: &Pragma, place: Range<usize>, diagnostics: &mut Vec<Diagnostic>) {
    let argument = argument(pragma.text);
    if is_positive(argument) {
        return;
    }
    let (range, message) = match argument {
        "" => (place, format!("missing value of `.pragma \"{FREQUENCY}\"`")),
        _ => (
            place.end - argument.len()..place.end,
            format!("expected a positive integer for `.pragma \"{FREQUENCY}\"`, found `{argument}`"),
        ),
    };
    let help = "write how often the block executes, as in `.pragma \"frequency 100\"`";
    diagnostics.push(Diagnostic::new(&DIRECTIVE_RANGE, range, message).help(help));
}

/// What follows the word and the character after it, whatever that is.
fn argument(text: &str) -> &str {
    let mut rest = text[FREQUENCY.len()..].chars();
    rest.next();
    rest.as_str().trim_start()
}

/// Whether a text is a positive integer in C's notation that may have a `+`; its size does not matter.
fn is_positive(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let (digits, radix) = match digits.strip_prefix('0') {
        Some(rest) if rest.starts_with(['x', 'X']) => (&rest[1..], 16),
        Some(_) => (digits, 8),
        None => (digits, 10),
    };
    digits.chars().all(|digit| digit.is_digit(radix)) && digits.contains(|digit| digit != '0')
}

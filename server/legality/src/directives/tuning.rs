//! Performance-tuning directives of kernels: values, conflicts, and what they need beside them.

use diagnostics::registry::{CONFLICTING_DIRECTIVES, DIRECTIVE_RANGE, MISSING_DIRECTIVE};
use diagnostics::{Diagnostic, remove};
use syntax::{FunctionHead, HeadDirective, Number};

/// Directives whose numbers must not be 0.
const POSITIVE: [&str; 6] = [".maxnreg", ".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".local_maxnreg"];

/// Directives that conflict.
const CONFLICTS: [(&str, &str); 2] = [(".maxntid", ".reqntid"), (".maxclusterrank", ".reqnctapercluster")];

/// What `.blocksareclusters` needs.
const OF_CLUSTERS: [(&str, &str); 2] = [(".reqntid", ".reqntid 128"), (".reqnctapercluster", ".reqnctapercluster 2")];

/// Checks the directives of a function.
pub(super) fn check(function: &FunctionHead, diagnostics: &mut Vec<Diagnostic>) {
    for directive in &function.directives {
        check_values(directive, diagnostics);
    }
    let find = |word: &str| function.directives.iter().find(|directive| directive.word.text == word);
    for (one, other) in CONFLICTS {
        if let (Some(one), Some(other)) = (find(one), find(other)) {
            let (first, second) =
                if one.word.range.start < other.word.range.start { (one, other) } else { (other, one) };
            diagnostics.push(conflict(first, second));
        }
    }
    if let Some(clusters) = find(".blocksareclusters") {
        for (word, example) in OF_CLUSTERS {
            if find(word).is_none() {
                let message = format!("missing `{word}` directive for `.blocksareclusters`");
                diagnostics.push(
                    Diagnostic::new(&MISSING_DIRECTIVE, clusters.word.range.clone(), message)
                        .help(format!("add `{example}`, or remove `.blocksareclusters`")),
                );
            }
        }
    }
}

fn check_values(directive: &HeadDirective, diagnostics: &mut Vec<Diagnostic>) {
    if !POSITIVE.contains(&&*directive.word.text) {
        return;
    }
    // The assembler compares 32 bits; more are an invalid constant.
    for value in directive.values.iter().filter(|value| Number::integer(&value.text) == Some(0)) {
        let message = format!("expected a positive value for `{}`, found `{}`", directive.word.text, value.text);
        diagnostics.push(
            Diagnostic::new(&DIRECTIVE_RANGE, value.range.clone(), message)
                .help("write 1 or more, or remove the directive"),
        );
    }
}

fn conflict(first: &HeadDirective, second: &HeadDirective) -> Diagnostic {
    let (one, other) = (&first.word, &second.word);
    let end = second.values.last().unwrap_or(other).range.end;
    Diagnostic::new(
        &CONFLICTING_DIRECTIVES,
        other.range.clone(),
        format!("conflicting directives `{}` and `{}`", one.text, other.text),
    )
    .help("keep one of them")
    .related(one.range.clone(), "conflicts with this directive")
    .unsafe_fix(format!("Remove `{}`", other.text), [remove(other.range.start..end)])
}

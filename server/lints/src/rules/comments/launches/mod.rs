//! `run-problem`, `run-mismatch`, `run-unreadable`, `check-refuted`, `check-undecided`, `check-unordered` and `check-termination`: launches in comments.
//!
//! All but the last two are errors, because an expectation that is wrong or never checked must fail the build.

use diagnostics::registry::{
    CHECK_REFUTED, CHECK_TERMINATION, CHECK_UNDECIDED, CHECK_UNORDERED, RUN_MISMATCH, RUN_PROBLEM, RUN_UNREADABLE,
};
use diagnostics::{Diagnostic, Edit, Related, Rule, replace};
use evaluation::launches::statement::LaunchLineError;
use evaluation::launches::{LAUNCH_CACHE, LaunchProblem, LaunchRelated, LaunchReport, launch_reports};
use isa::Module;
use std::collections::BTreeSet;
use syntax::LintFile;

/// Runs every launch in the comments of a module without errors: one with errors has no meaning.
pub(crate) fn check(file: &LintFile, module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: BTreeSet<(usize, usize, String)> = diagnostics.iter().map(place).collect();
    for report in launch_reports(file, *module, &LAUNCH_CACHE) {
        let found = match report {
            LaunchReport::Unreadable(error) => unreadable(&RUN_UNREADABLE, error),
            LaunchReport::Undecided { error, related } => with_related(unreadable(&CHECK_UNDECIDED, error), related),
            LaunchReport::Problem(problem) => with_places(&RUN_PROBLEM, problem),
            LaunchReport::Refuted(problem) => with_places(&CHECK_REFUTED, problem),
            LaunchReport::Unordered(problem) => with_places(&CHECK_UNORDERED, problem)
                .help("order them with a release and an acquire or a barrier, or use an atomic"),
            LaunchReport::Unfair(problem) => with_places(&CHECK_TERMINATION, problem)
                .help("let one thread go on whatever the others do, as with tickets or one order of all locks"),
            LaunchReport::Mismatch { problem, observed } => {
                let found = with_places(&RUN_MISMATCH, problem).help("update the expectation or fix the code");
                match observed {
                    Some((range, text)) => found.fix(format!("Replace with `{text}`"), [replace(range, text)]),
                    None => found,
                }
            }
        };
        // Several launches may meet the same mistake.
        if known.insert(place(&found)) {
            diagnostics.push(found);
        }
    }
}

/// What two diagnostics of the same mistake have in common.
fn place(found: &Diagnostic) -> (usize, usize, String) {
    (found.range.start, found.range.end, found.message().into_owned())
}

fn unreadable(rule: &'static Rule, error: LaunchLineError) -> Diagnostic {
    let found = Diagnostic::new(rule, error.range, error.message).help(error.help);
    match error.insertion {
        Some((title, at, text)) => found.fix(title, [Edit { range: at..at, text }]),
        None => found,
    }
}

fn with_places(rule: &'static Rule, problem: LaunchProblem) -> Diagnostic {
    with_related(Diagnostic::new(rule, problem.range, problem.message), problem.related)
}

fn with_related(found: Diagnostic, related: Vec<LaunchRelated>) -> Diagnostic {
    let of_launch = |LaunchRelated { range, message, thread }| Related { range, message, thread };
    Diagnostic { related: related.into_iter().map(of_launch).collect(), ..found }
}

#[cfg(test)]
mod tests {
    use crate::Check;
    use diagnostics::{Settings, Snapshot};
    use syntax::SourceFile;

    /// A module with a kernel that counts its threads.
    fn module(comments: &str) -> String {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{comments}\n.visible .entry count(.param .u64 hist)\n{{\n\
             \t.reg .u64 %rd<2>;\n\tld.param.u64 %rd1, [hist];\n\tred.global.add.u32 [%rd1], 1;\n\tret;\n}}\n"
        )
    }

    /// The text after the first fix of its only diagnostic, which has then no diagnostic.
    fn fixed(text: &str) -> String {
        let diagnostics = |text: &str| Snapshot::new(SourceFile::parse(text), Settings::default()).diagnostics();
        let found = diagnostics(text);
        assert_eq!(found.len(), 1, "{found:?}");
        let mut new = text.to_owned();
        for edit in found[0].fixes[0].edits.iter().rev() {
            new.replace_range(edit.range.clone(), &edit.text);
        }
        assert!(diagnostics(&new).is_empty(), "{new}");
        new
    }

    #[test]
    fn a_fix_writes_the_value_that_was_seen() {
        let wrong = "//! run count block 5 hist=u32[2]\n//! expect hist == 1, 0";
        assert_eq!(fixed(&module(wrong)), module("//! run count block 5 hist=u32[2]\n//! expect hist == 5, 0"));
    }

    #[test]
    fn a_fix_adds_all_missing_arguments() {
        assert_eq!(fixed(&module("//! run count block 5")), module("//! run count block 5 hist=u32[8]"));
        let two = |comment: &str| {
            let text =
                module(comment).replace("hist)", "hist, .param .u32 n)").replace("<2>;", "<2>;\n\t.reg .u32 %r1;");
            text.replace("\tret;", "\tld.param.u32 %r1, [n];\n\tred.global.add.u32 [%rd1], %r1;\n\tret;")
        };
        assert_eq!(fixed(&two("//! run count")), two("//! run count hist=u32[8] n=u32=8"));
    }

    #[test]
    fn a_module_with_an_error_does_not_run() {
        let text = module("//! run count block 5").replace("red.global", "red.globe");
        let found = Snapshot::new(SourceFile::parse(&text), Settings::default()).diagnostics();
        assert!(found.iter().all(|one| !one.code().starts_with("run-")), "{found:?}");
    }
}

//! `outcome-allowed`, `outcome-forbidden` and `outcome-undecided`: litmus tests in comments.
//!
//! They are errors, because a wrong expectation must fail the build.

use diagnostics::registry::{OUTCOME_ALLOWED, OUTCOME_FORBIDDEN, OUTCOME_UNDECIDED};
use diagnostics::{Diagnostic, Edit};
use isa::Module;
use litmus::{ClaimDiagnostic, Expected, claim_diagnostics};
use syntax::LintFile;

/// Checks every litmus test in the comments of a module.
pub(crate) fn check(file: &LintFile, module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    for claim in claim_diagnostics(file, module) {
        diagnostics.push(match claim {
            ClaimDiagnostic::Contradicted { range, expected, message, help, events, repair } => {
                let rule = if expected == Expected::Forbidden { &OUTCOME_ALLOWED } else { &OUTCOME_FORBIDDEN };
                let found = Diagnostic::new(rule, range, message).help(help);
                let found = events.into_iter().fold(found, |found, (range, message)| found.related(range, message));
                repair.into_iter().fold(found, |found, repair| {
                    found.fix(repair.title, repair.edits.into_iter().map(|(range, text)| Edit { range, text }))
                })
            }
            ClaimDiagnostic::Undecided(mistake) => {
                Diagnostic::new(&OUTCOME_UNDECIDED, mistake.range, mistake.message).help(mistake.help)
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::Check;
    use diagnostics::{Settings, Snapshot};
    use syntax::SourceFile;

    /// A module with a litmus test of two functions in CTA 0 and CTA 1.
    fn module(target: &str, first: &str, second: &str, forbid: &str) -> String {
        format!(
            ".version 8.0\n.target {target}\n.address_size 64\n.global .u32 x;\n.global .u32 y;\n//! litmus test\n//! thread f @ cta 0\n\
             //! thread g @ cta 1\n//! forbid {forbid}\n.visible .entry f()\n{{\n\t.reg .u32 %r<3>;\n\t{first}\n\tret;\n}}\n\
             .visible .entry g()\n{{\n\t.reg .u32 %r<3>;\n\t{second}\n\tret;\n}}\n"
        )
    }

    /// The title of the fix, and the number of diagnostics after it is applied.
    fn repaired(text: &str) -> (Option<String>, usize) {
        let diagnostics = |text: &str| Snapshot::new(SourceFile::parse(text), Settings::default()).diagnostics();
        let found = diagnostics(text);
        assert_eq!(found.iter().map(|diagnostic| diagnostic.code()).collect::<Vec<_>>(), ["outcome-allowed"], "{text}");
        let Some(fix) = found[0].fixes.first() else { return (None, 1) };
        let mut new = text.to_owned();
        for edit in fix.edits.iter().rev() {
            new.replace_range(edit.range.clone(), &edit.text);
        }
        (Some(fix.title.clone()), diagnostics(&new).len())
    }

    const MESSAGE: &str = "g:%r1 == 1 && g:%r2 == 0";

    #[test]
    fn a_scope_is_widened_no_more_than_needed() {
        let write = "st.global.u32 [x], 1;\n\tst.release.cta.global.u32 [y], 1;";
        let read = "ld.acquire.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title = "Use `st.release.gpu.global.u32` to make the outcome impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn one_order_suffices_where_the_other_is_there() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.acquire.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title = "Use `st.release.gpu.global.u32` to make the outcome impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn two_orders_are_changed_where_one_is_not_enough() {
        let write = "st.global.u32 [x], 1;\n\tst.relaxed.gpu.global.u32 [y], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [y];\n\tld.global.u32 %r2, [x];";
        let title =
            "Use `st.release.gpu.global.u32` and use `ld.acquire.gpu.global.u32` to make the outcome impossible";
        assert_eq!(repaired(&module("sm_80", write, read, MESSAGE)), (Some(title.into()), 0));
    }

    #[test]
    fn store_buffering_takes_a_fence() {
        let first = "st.relaxed.gpu.global.u32 [x], 1;\n\tld.relaxed.gpu.global.u32 %r1, [y];";
        let second = "st.relaxed.gpu.global.u32 [y], 1;\n\tfence.sc.gpu;\n\tld.relaxed.gpu.global.u32 %r1, [x];";
        let title = "Insert `fence.sc.gpu` to make the outcome impossible";
        assert_eq!(repaired(&module("sm_80", first, second, "f:%r1 == 0 && g:%r1 == 0")), (Some(title.into()), 0));
    }

    #[test]
    fn what_no_order_prevents_gets_no_fix() {
        let write = "st.relaxed.gpu.global.u32 [x], 1;";
        let read = "ld.relaxed.gpu.global.u32 %r1, [x];";
        assert_eq!(repaired(&module("sm_80", write, read, "g:%r1 == 1")), (None, 1));
    }
}

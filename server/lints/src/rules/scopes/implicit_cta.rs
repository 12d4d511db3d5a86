//! `implicit-cta`: `.shared` without `::cta` or `::cluster`.

use analysis::values::FunctionValues;
use diagnostics::registry::IMPLICIT_CTA;
use diagnostics::{Diagnostic, replace};

/// Checks every atomic on `.shared`.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, _) in flow.atomics() {
        if !instruction.has("shared") {
            continue;
        }
        let has_cta = flow.is_legal(instruction, "shared::cta", || {
            let explicit = |word| if word == "shared" { "shared::cta" } else { word };
            (instruction.opcode.mnemonic(), instruction.opcode.words().into_iter().map(explicit).collect())
        });
        if !has_cta {
            continue;
        }
        let range = instruction.modifier("shared");
        diagnostics.push(
            Diagnostic::new(&IMPLICIT_CTA, range.clone(), "implicit `::cta` on `.shared`")
                .help("write `.shared::cta`, or `.shared::cluster` for memory of the cluster")
                .fix("Replace with `.shared::cta`", [replace(range, ".shared::cta")]),
        );
    }
}

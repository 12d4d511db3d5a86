//! `implicit-cta`: `.shared` without `::cta` or `::cluster`.

use crate::flow::Flow;
use diagnostics::registry::IMPLICIT_CTA;
use diagnostics::{Diagnostic, replace};

/// Checks every atomic on `.shared`.
pub(super) fn check(flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, _) in flow.atomics() {
        let range = instruction.modifier("shared");
        let words: Vec<&str> = instruction
            .opcode
            .words()
            .into_iter()
            .map(|word| if word == "shared" { "shared::cta" } else { word })
            .collect();
        let spelling = isa::Spelling { mnemonic: &instruction.opcode.mnemonic.text, modifiers: &words };
        if !instruction.has("shared") || isa::is_legal(&spelling, &flow.module) != Some(true) {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(&IMPLICIT_CTA, range.clone(), "implicit `::cta` on `.shared`")
                .help("write `.shared::cta`, or `.shared::cluster` for memory of the cluster")
                .fix("Replace with `.shared::cta`", [replace(range, ".shared::cta")]),
        );
    }
}

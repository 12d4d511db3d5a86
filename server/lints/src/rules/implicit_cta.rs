//! `.shared` that does not say whose. Style: the default is `::cta`.

use crate::flow::Flow;
use diagnostics::registry::IMPLICIT_CTA;
use diagnostics::{Diagnostic, replace};

/// Looks at every atomic on `.shared`.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, _) in flow.atomics() {
        let range = step.modifier("shared");
        let words: Vec<&str> =
            step.opcode.words().into_iter().map(|word| if word == "shared" { "shared::cta" } else { word }).collect();
        let spelling = isa::Spelling { mnemonic: &step.opcode.mnemonic.text, modifiers: &words };
        if !step.has("shared") || isa::is_legal(&spelling, &flow.module) != Some(true) {
            continue;
        }
        findings.push(
            Diagnostic::new(&IMPLICIT_CTA, range.clone(), "`.shared` alone means the CTA's own shared memory")
                .help("write `.shared::cta`; clusters have `.shared::cluster` beside it")
                .fix("Write `.shared::cta`", [replace(range, ".shared::cta")]),
        );
    }
}

//! Short loops that load and do not store, which may poll a flag with plain loads.

use std::borrow::Cow;
use syntax::{Instruction, LintFile};

/// The maximum length of such a loop, in bytes.
const MAX_LENGTH: usize = 400;

/// Whether an instruction branches back to a label with at least a load, and no store, between them. Nothing else is read, as most functions have no
/// such loop: the rule about flags looks at the addresses.
pub(crate) fn may_poll(file: &LintFile, instruction: &Instruction) -> bool {
    let [target] = &instruction.operands()[..] else { return false };
    let branch = instruction.range().start;
    let begin = file.clamp(branch.saturating_sub(MAX_LENGTH));
    let before = Cow::from(file.text().byte_slice(begin..branch));
    // Most branches lead elsewhere.
    if !before.contains(&*target.token.text) {
        return false;
    }
    let code: String =
        before.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    // The last label before the branch, as a block of the cache begins at a label.
    let Some(colon) = code.replace("::", "  ").rfind(':') else { return false };
    let (label, body) = (&code[..colon], &code[colon + 1..]);
    let is_target = label.trim_end().strip_suffix(&*target.token.text).is_some_and(|rest| rest.ends_with(is_between));
    let mut words = body.split_whitespace();
    is_target
        && words.clone().any(|word| word.starts_with("ld."))
        && !words.any(|word| ["st.", "atom.", "red.", "call"].iter().any(|store| word.starts_with(store)))
}

/// Whether a character is before a label: none of a name is.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '{' | '}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::SourceFile;

    fn polls(body: &str) -> bool {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{body}\n}}\n");
        let file = SourceFile::parse(&text);
        let at = text.rfind("bra").expect("a branch");
        may_poll(&file, &file.instruction_at(at).expect("an instruction"))
    }

    #[test]
    fn loops_that_load_and_do_not_store_may_poll() {
        assert!(polls("wait: ld.global.u32 a, [x];\nsetp.eq.u32 p, a, 0; // : again\n@p bra wait;"));
        assert!(polls("$L__BB0_1:\nld.u32 a, [x];\n@p bra done;\nbra.uni $L__BB0_1;"));
        assert!(!polls("wait: ld.global.u32 a, [x];\nst.global.u32 [y], a;\n@p bra wait;"));
        assert!(!polls("wait: add.u32 a, a, 1;\n@p bra wait;"));
        assert!(!polls("wait: ld.global.u32 a, [x];\nother:\n@p bra wait;"));
        assert!(!polls("await: ld.global.u32 a, [x];\n@p bra wait;"));
    }
}

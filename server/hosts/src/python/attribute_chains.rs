//! Instructions that are attributes of `T.ptx`, in TVM and tilelang: `T.ptx.mbarrier.init.shared.b64(bar, 1)`.
//!
//! `::` is written `__`, a word that Python reserves has a `_` after it, and the `_` in a first word such as `shfl_sync` is a dot. The operands are
//! values of Python, so only the opcode is checked.

use super::tree::{PythonNode, children, read};
use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind};
use crate::inline_asm::{AsmDialect, AsmStatement, Branches, LiteralForm, LiteralSource, PartLiteral, TemplatePart};
use std::ops::Range;

/// What all instructions begin with.
pub(super) const NAMESPACE: &str = "T.ptx";

/// The instruction that a call calls.
pub(super) fn statement(text: &str, node: PythonNode) -> Option<AsmStatement> {
    let called = node.child_by_field_name("function")?;
    let arguments = node.child_by_field_name("arguments").filter(|list| list.kind() == "argument_list")?;
    let chain = std::iter::successors(Some(called), |node| node.child_by_field_name("object"));
    let namespace = chain.into_iter().find(|node| read(text, *node) == NAMESPACE)?;
    let opcode = namespace.end_byte() + 1..called.end_byte();
    let first = text[opcode.clone()].split(['.', '_']).next().unwrap_or_default().trim();
    // Modifiers may be strings after the operands.
    let has_strings = children(arguments).iter().any(|argument| argument.kind().contains("string"));
    if has_strings || !isa::mnemonics().any(|known| known == first) {
        return None;
    }
    let part = |range: Range<usize>, literal| TemplatePart {
        range,
        literal,
        branches: Branches::new(),
        via: LiteralSource::Written,
    };
    let spelling = PartLiteral { inner: opcode.clone(), form: LiteralForm::Attributes, closed: true };
    Some(AsmStatement {
        range: node.byte_range(),
        keyword: namespace.byte_range(),
        dialect: AsmDialect::Attributes,
        template: vec![part(opcode, Some(spelling)), part(arguments.byte_range(), None)],
        open: true,
        finished: !node.has_error(),
        ..AsmStatement::default()
    })
}

/// Ends the opcode, and the instruction.
pub(crate) fn substitute(units: &[TemplateChar]) -> Substituted {
    let mut made = Substituted::default();
    for unit in units {
        let added = |c| TemplateChar::whole(TemplateCharKind::Char(c), unit.place());
        if unit.what == TemplateCharKind::Placeholder {
            made.units.extend([added(' '), *unit, added(';')]);
        } else {
            made.units.push(*unit);
        }
    }
    made
}

/// The words of PTX that Python reserves.
const RESERVED: &[&str] = &["and", "async", "global", "in", "is", "not", "or"];

/// Reads the names of attributes as the words of an opcode.
pub(crate) fn decode(host: &str, inner: &Range<usize>, units: &mut Vec<TemplateChar>) {
    let text = &host[inner.clone()];
    let mut is_first = true;
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let place = inner.start + at..inner.start + at + c.len_utf8();
        let (before, behind) = (text[..at].ends_with('_'), text[at + 1..].chars().next());
        is_first &= c != '.';
        match (c, behind) {
            ('_', Some('_')) => units.push(TemplateChar::whole(TemplateCharKind::Char(':'), place)),
            ('_', _) if before => units.push(TemplateChar::whole(TemplateCharKind::Char(':'), place)),
            ('_', None | Some('.')) => {}
            ('_', _) if is_first && !is_in_word(text, at) => {
                units.push(TemplateChar::whole(TemplateCharKind::Char('.'), place))
            }
            _ => units.push(TemplateChar::exact(place.start, c)),
        }
    }
}

/// Whether a `_` in the first name is part of a word, as in `multimem_ld_reduce`.
fn is_in_word(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('_').map_or(at, |before| before + 1);
    let end = text[at + 1..].find(['_', '.']).map_or(text.len(), |length| at + 1 + length);
    isa::families().any(|family| family.name.split('.').any(|word| *word == text[start..end]))
}

/// Writes the words of an opcode as names of attributes.
pub(crate) fn encode(text: &str) -> String {
    let name = |word: &str| match RESERVED.contains(&word) {
        true => format!("{word}_"),
        false => word.replace("::", "__"),
    };
    text.split('.').map(name).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_as_words() {
        for (written, expected) in [
            ("fence.proxy.async_.shared__cta", "fence.proxy.async.shared::cta"),
            ("tcgen05.commit.cta_group__1", "tcgen05.commit.cta_group::1"),
            ("fence.mbarrier_init.release.cluster", "fence.mbarrier_init.release.cluster"),
            ("and_.b32", "and.b32"),
        ] {
            let mut units = Vec::new();
            decode(written, &(0..written.len()), &mut units);
            assert_eq!(units.iter().map(|unit| unit.what.char()).collect::<String>(), expected);
            assert_eq!(encode(expected), written);
        }
        for (written, expected) in [
            ("shfl_sync.idx\n    .b32", "shfl.sync.idx.b32"),
            ("multimem_ld_reduce.add.u32", "multimem.ld_reduce.add.u32"),
        ] {
            let mut units = Vec::new();
            decode(written, &(0..written.len()), &mut units);
            assert_eq!(units.iter().map(|unit| unit.what.char()).collect::<String>(), expected);
        }
    }
}

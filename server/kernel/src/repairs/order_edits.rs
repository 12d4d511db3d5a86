//! Text edits that change the order of memory instructions.

use crate::repairs::modifiers;
use isa::{Module, Spelling};
use memory_model::{FenceKind, FencedSpace, ModelProxyFence, Proxy, Scope, Sem};
use std::ops::Range;

/// A replaced range in bytes, and its new text.
pub type TextEdit = (Range<usize>, String);

/// The opcode of a statement after its guard, in bytes.
pub fn opcode_range(text: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let written = text.get(range.clone())?;
    let guard = if written.starts_with('@') { written.find(char::is_whitespace)? } else { 0 };
    let start = guard + written[guard..].len() - written[guard..].trim_start().len();
    let is_end = |byte: char| byte.is_whitespace() || byte == ';';
    let length = written[start..].find(is_end).unwrap_or(written.len() - start);
    Some(range.start + start..range.start + start + length)
}

/// Gives an access an order and a scope; `None` if the result would be illegal. `range` is its statement.
pub fn access_edit(text: &str, module: &Module, range: &Range<usize>, order: Sem, scope: Scope) -> Option<TextEdit> {
    let opcode_range = opcode_range(text, range)?;
    let opcode = &text[opcode_range.clone()];
    let mut words = opcode.split('.');
    let mnemonic = words.next()?;
    let kept: Vec<&str> =
        words.filter(|word| modifiers::order(word).is_none() && Scope::parse(word).is_none()).collect();
    // The order of an operation on an mbarrier is after what it does.
    let (operation, rest) = kept.split_at(kept.iter().take_while(|word| is_mbarrier_operation(word)).count());
    let modifiers = [operation, &[order.word(), scope.word()], rest].concat();
    if isa::is_legal(&Spelling { mnemonic, modifiers: &modifiers }, module) == Some(false) {
        return None;
    }
    Some((opcode_range, format!("{mnemonic}.{}", modifiers.join("."))))
}

fn is_mbarrier_operation(word: &str) -> bool {
    matches!(word, "arrive" | "arrive_drop" | "expect_tx" | "test_wait" | "try_wait" | "parity")
}

/// Inserts a fence before a statement; `None` if the fence would be illegal.
pub fn fence_edit(text: &str, module: &Module, range: &Range<usize>, kind: FenceKind) -> Option<TextEdit> {
    insertion(text, range, &fence_opcode(module, kind)?)
}

/// Inserts a statement, which is written without its semicolon, before another one.
pub fn insertion(text: &str, range: &Range<usize>, statement: &str) -> Option<TextEdit> {
    let line = text.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..range.start];
    let indent = if indent.trim().is_empty() { format!("\n{indent}") } else { " ".to_owned() };
    Some((range.start..range.start, format!("{statement};{indent}")))
}

/// The opcode of a fence; `None` if it would be illegal.
pub fn fence_opcode(module: &Module, kind: FenceKind) -> Option<String> {
    let modifiers: &[&str] = match kind {
        FenceKind::Sc(scope) => &["sc", scope.word()],
        FenceKind::AcqRel(scope) => &["acq_rel", scope.word()],
        FenceKind::Alias => &["proxy", "alias"],
        FenceKind::MbarrierInit => &["mbarrier_init", "release", "cluster"],
        FenceKind::Proxy(fence) if ModelProxyFence { space: None, ..fence } == ModelProxyFence::of(Proxy::Async) => {
            match fence.space {
                None => &["proxy", "async"],
                Some(FencedSpace::Global) => &["proxy", "async", "global"],
                Some(FencedSpace::Shared) => &["proxy", "async", "shared::cta"],
            }
        }
        _ => return None,
    };
    legal_opcode(module, "fence", modifiers)
}

/// An opcode; `None` if it would be illegal.
pub fn legal_opcode(module: &Module, mnemonic: &str, modifiers: &[&str]) -> Option<String> {
    let is_illegal = isa::is_legal(&Spelling { mnemonic, modifiers }, module) == Some(false);
    (!is_illegal).then(|| format!("{mnemonic}.{}", modifiers.join(".")))
}

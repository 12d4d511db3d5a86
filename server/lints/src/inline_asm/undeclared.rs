//! Names in a statement that nothing declares: neither the statement, nor any other text of the file that may become PTX.

use crate::checker::FragmentCache;
use crate::inline_asm::{HostSource, check_module, translate};
use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use hosts::inline_asm::{AsmDialect, AsmFragment, AsmStatement, HostLanguage, ScannedHost};
use isa::special;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::{Instruction, InstructionPart, Scopes, instructions, is_word_char};

/// Opcodes whose operands may name functions and variables of other files.
const TAKES_SYMBOLS: [&str; 6] = ["call", "cvta", "getctarank", "isspacep", "mapa", "mov"];

/// Registers that the compiler declares in functions with local memory.
const STACK_POINTERS: [&str; 2] = ["%SP", "%SPL"];

/// The most bytes of host texts to search for declarations in one check. Further names are not reported.
pub(super) const MOST_SEARCHED: usize = 1 << 28;

/// The most places of a name that are looked at. A name with more may be declared at one of them.
const MOST_PLACES: usize = 64;

/// Reports each undeclared name of a statement at its first use; `None` if the check is cancelled. `searchable` is how many more bytes may be searched
/// for declarations.
pub(super) fn check(
    fragment: &AsmFragment,
    (source, searchable): (&HostSource, &mut usize),
    last: &FragmentCache,
    fragments: &mut FragmentCache,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    let template = &fragment.template;
    let is_excerpt = fragment.statement.dialect == AsmDialect::Excerpt;
    let is_whole =
        !is_excerpt && fragment.statement.finished && !template.has_placeholder && fragment.invocation.is_none();
    if !is_whole || !template.incomplete.is_empty() || !template.unknown.is_empty() || !may_use_names(fragment) {
        return Some(Vec::new());
    }
    let mut missing = undeclared(fragment, source.text.scanned(), searchable);
    if missing.is_empty() {
        return Some(Vec::new());
    }
    // The empty line tells it from the same text as a fragment.
    let text = format!("{}\n", template.text);
    let found = check_module(&text, (&source.settings, &[&UNKNOWN_NAME]), last, fragments, cancelled)?;
    let first = found.into_iter().filter(|found| missing.remove(&template.text[found.range.clone()]));
    let with_operand = first.map(|found| match operand_of(fragment, &template.text[found.range.clone()]) {
        Some(help) => Diagnostic { fixes: Vec::new(), ..found }.help(help),
        None => found,
    });
    Some(with_operand.filter_map(|found| translate::diagnostic(fragment, &found, found.range.clone())).collect())
}

/// Whether an operand may be a name, or the number of an operand of the other dialect. Most statements use their operands only.
fn may_use_names(fragment: &AsmFragment) -> bool {
    let text = &fragment.template.text[fragment.template.body.clone()];
    let other_sigil = if fragment.statement.dialect.sigil() == '%' { b'$' } else { b'%' };
    let (mut before, mut is_opcode) = (b';', true);
    let mut begins_name = |byte: u8| {
        let is_inside = before.is_ascii_alphanumeric() || matches!(before, b'_' | b'.' | b':');
        let is_number = byte.is_ascii_digit() && before == other_sigil;
        let is_word = (byte.is_ascii_alphabetic() || byte == b'_') && !is_opcode && !is_inside;
        is_opcode = matches!(byte, b';' | b'{' | b'}') || is_opcode && byte.is_ascii_whitespace();
        before = byte;
        is_number || is_word
    };
    text.bytes().any(&mut begins_name) && !fragment.file().has_syntax_error()
}

/// The names that are used as registers or labels and declared nowhere.
fn undeclared(fragment: &AsmFragment, scanned: &ScannedHost, searchable: &mut usize) -> BTreeSet<String> {
    let mut used = Vec::new();
    let sigil = fragment.statement.dialect.sigil();
    instructions(fragment.file(), fragment.template.body.clone(), |instruction| {
        let at = instruction.range().start;
        used.extend(registers(&instruction, sigil).into_iter().map(|name| (name, at)));
    });
    used.retain(|(name, _)| special::find(name).is_none());
    if used.is_empty() {
        return BTreeSet::new();
    }
    let scopes = Scopes::new(fragment.file(), 0..fragment.template.text.len());
    let missing = used.into_iter().filter(|(name, at)| scopes.find(name, *at).is_none()).map(|(name, _)| name);
    let mut missing: BTreeSet<String> = missing.collect();
    missing.retain(|name| {
        let rest = searchable.checked_sub(fragment.host.len());
        *searchable = rest.unwrap_or(0);
        rest.is_some() && !may_be_declared(fragment, scanned, name)
    });
    missing
}

/// The names outside of addresses in the operands of an instruction that takes registers only.
fn registers(instruction: &Instruction, sigil: char) -> Vec<String> {
    let mut names = Vec::new();
    let takes_symbols = TAKES_SYMBOLS.contains(&&*instruction.opcode().mnemonic.text);
    let mut brackets = 0_u32;
    instruction.parts(|part| {
        match part {
            InstructionPart::Other("[") => brackets += 1,
            InstructionPart::Other("]") => brackets = brackets.saturating_sub(1),
            InstructionPart::Name(name) if name.starts_with('%') || brackets == 0 && !takes_symbols => {
                names.push(name.to_owned());
            }
            _ => {}
        }
        true
    });
    names.retain(|name| !is_predefined(name, sigil));
    names
}

/// Whether a name is an operand of the statement, needs no declaration, or may be a register that the compiler declares in the function around it: `%p1`, `%rd2`.
fn is_predefined(name: &str, sigil: char) -> bool {
    let Some(register) = name.strip_prefix(['%', '$']) else { return matches!(name, "_" | "WARP_SZ") };
    if STACK_POINTERS.contains(&name) {
        return true;
    }
    let digits = register.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let is_numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match register.len() - digits.len() {
        // The number of an operand begins with another character in the other dialect.
        0 => is_numbered && name.starts_with(sigil),
        letters => is_numbered && letters <= 2,
    }
}

/// Whether text outside of the statement may declare a name in PTX. In C++, only literals and macros may do that.
fn may_be_declared(fragment: &AsmFragment, scanned: &ScannedHost, name: &str) -> bool {
    let (host, statement) = (fragment.host, &fragment.statement.range);
    let word = name.trim_start_matches(['%', '$']);
    // The number of an operand.
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let outside = |at: &usize| !statement.contains(at) && is_word(host, at..&(at + word.len()));
    let mut places = host.match_indices(word).map(|(at, _)| at).filter(outside).enumerate();
    if scanned.language != HostLanguage::Cpp || fragment.statement.dialect != AsmDialect::Nvcc {
        return places.next().is_some();
    }
    let is_variable = variable_of(fragment, name).is_some();
    let declares = |at: usize| match statement_around(scanned, at) {
        Some(other) => is_declared_by(other, scanned, name, at),
        None => {
            !is_comment(host, at) && (may_become_ptx(line(host, at)) || !is_variable && is_macro_argument(host, at))
        }
    };
    places.any(|(number, at)| number >= MOST_PLACES || declares(at))
        || !is_variable && (has_composed_names(host) || has_range_of(host, word))
}

/// The statement around an offset.
fn statement_around(scanned: &ScannedHost, at: usize) -> Option<&AsmStatement> {
    let next = scanned.statements.partition_point(|statement| statement.range.start <= at);
    scanned.statements[..next].last().filter(|statement| statement.range.contains(&at))
}

/// Whether a name that another statement has at an offset is declared there for the statements after it: outside of the blocks that the statement
/// closes.
fn is_declared_by(other: &AsmStatement, scanned: &ScannedHost, name: &str, at: usize) -> bool {
    if !other.finished || other.template.iter().any(|part| part.literal.is_none()) {
        return true;
    }
    let is_in_template = other.template.iter().any(|part| part.contains(at));
    is_in_template
        && other.choices().iter().any(|choice| {
            let fragment = AsmFragment::new(&scanned.text, other, choice);
            let (file, end) = (fragment.file(), fragment.template.body.end);
            Scopes::new(file, 0..fragment.template.text.len()).find(name, end).is_some()
        })
}

/// Whether an offset is among the arguments of a macro, by its name.
fn is_macro_argument(text: &str, at: usize) -> bool {
    let before = &text[line_start(text, at)..at];
    before.match_indices('(').any(|(open, _)| {
        let name = before[..open].rsplit(|c: char| !is_word_char(c)).next().unwrap_or_default();
        let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && name.chars().all(is_upper)
    })
}

/// Whether a text may declare a range of names with a name in it: `.reg .pred p<4>;` has `p1`.
fn has_range_of(text: &str, word: &str) -> bool {
    let base = word.trim_end_matches(|c: char| c.is_ascii_digit());
    base.len() < word.len() && text.contains(&format!("{base}<"))
}

/// Whether a macro declares names that it makes of its arguments: `".reg .pred " #name "_p;"`.
fn has_composed_names(host: &str) -> bool {
    // The argument follows the string, as a string of its own.
    let is_name = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_argument = |rest: &str| rest.trim_start().strip_prefix('#').is_some_and(is_name);
    let is_composed = |line: &str| line.split('"').skip(1).any(is_argument);
    host.lines().any(|line| is_composed(line) && (line.contains(".reg") || line.contains(":\"")))
}

/// Whether a range is a whole word.
fn is_word(text: &str, range: Range<&usize>) -> bool {
    !text[..*range.start].ends_with(is_word_char) && !text[*range.end..].starts_with(is_word_char)
}

/// Whether a line of C++ may be a part of a literal or a macro.
fn may_become_ptx(line: &str) -> bool {
    line.contains(['"', '\\', '#']) || line.trim_start().starts_with(['%', '@', '.', '}', '{'])
}

/// Whether an offset is in a comment to the end of its line.
fn is_comment(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].contains("//")
}

/// The line of a text around an offset, without what is far away.
fn line(text: &str, at: usize) -> &str {
    let far = text.ceil_char_boundary(text.len().min(at + LONGEST_LINE));
    let end = text[at..far].find('\n').map_or(far, |length| at + length);
    &text[line_start(text, at)..end]
}

fn line_start(text: &str, at: usize) -> usize {
    let far = text.floor_char_boundary(at.saturating_sub(LONGEST_LINE));
    text[far..at].rfind('\n').map_or(far, |end| far + end + 1)
}

/// How far a line is read to each side of a place.
const LONGEST_LINE: usize = 1000;

/// What surrounds the expression of an operand.
const PARENTHESES: [char; 3] = ['(', ')', ' '];

/// The help for an operand that is written with the wrong character, or by the name of its variable.
fn operand_of(fragment: &AsmFragment, name: &str) -> Option<String> {
    let dialect = fragment.statement.dialect;
    let number = name.strip_prefix(['%', '$']).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(number) = number {
        let reader = if dialect == AsmDialect::Nvcc { "nvcc" } else { "LLVM" };
        return Some(format!("write `{}{number}` for an operand in a template that {reader} reads", dialect.sigil()));
    }
    variable_of(fragment, name).map(|operand| format!("the variable `{name}` is operand `{operand}`"))
}

/// The operand that is a variable of the host.
fn variable_of(fragment: &AsmFragment, name: &str) -> Option<String> {
    let is_it = |expression: &Range<usize>| fragment.host[expression.clone()].trim_matches(PARENTHESES) == name;
    let (number, operand) = fragment.operands.iter().enumerate().find(|(_, operand)| is_it(&operand.expression))?;
    Some(operand.ptx_name(fragment.statement.dialect, number))
}

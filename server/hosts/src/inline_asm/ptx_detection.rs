//! Detects whether a statement is PTX or the assembly of another processor: many have `mov` and `add`, and some have types after a dot.

use syntax::{guard, is_name_char};

/// Mnemonics of PTX that other processors have too, with dotted words.
const SHARED: [&str; 30] = [
    "abs", "add", "and", "call", "cvt", "div", "fence", "fma", "ld", "mad", "max", "min", "mov", "mul", "neg", "not",
    "or", "prefetch", "rcp", "rem", "rsqrt", "sel", "set", "shl", "shr", "sqrt", "st", "sub", "xor", "bra",
];
/// Shared mnemonics whose modifiers are in the tables.
const OF_MEMORY: [&str; 4] = ["fence", "ld", "prefetch", "st"];
/// Mnemonics with one type on ARM and three in PTX.
const OF_VIDEO: [&str; 6] = ["vadd", "vsub", "vmin", "vmax", "vshl", "vshr"];
/// Instructions of PTX without a dot.
const UNDOTTED: [&str; 5] = ["ret", "exit", "trap", "brkpt", "bra"];

/// Whether instructions are PTX; `ended` has, for each, whether it has a `;`.
pub(super) fn is_ptx<'t>(mut instructions: impl Iterator<Item = &'t str> + Clone, ended: bool) -> bool {
    // Most processors have `ret`, but their assemblers need no `;`.
    let are_undotted =
        |mut all: std::iter::Peekable<_>| all.peek().is_some() && all.all(|text| UNDOTTED.contains(&text));
    (ended && are_undotted(instructions.clone().peekable())) || instructions.any(is_dotted)
}

/// Whether the beginning of a text may be PTX: the statements before the last are, and the last has the first letters of an instruction.
pub(super) fn may_become_ptx(typed: &str) -> bool {
    let mut statements: Vec<&str> = typed.split([';', '{', '}']).map(opcode).collect();
    let last = statements.pop().unwrap_or_default();
    statements.retain(|opcode| !opcode.is_empty());
    if !statements.is_empty() && !is_ptx(statements.into_iter(), true) {
        return false;
    }
    match last.split_once('.') {
        Some((mnemonic, _)) => {
            mnemonic.is_empty() || is_dotted(last) || isa::mnemonics().any(|known| known == mnemonic)
        }
        None => {
            let is_typed = typed.ends_with(last);
            let begins = |mnemonic: &str| if is_typed { mnemonic.starts_with(last) } else { UNDOTTED.contains(&last) };
            isa::mnemonics().any(begins) || isa::unchecked::instructions().iter().any(|other| begins(other.opcode))
        }
    }
}

/// Whether an instruction is one of AMD's devices, whose names begin with the unit that executes them: `s_waitcnt`.
pub(super) fn is_of_amd(instruction: &str) -> bool {
    let mnemonic = instruction.split('.').next().unwrap_or_default();
    mnemonic.split_once('_').is_some_and(|(unit, name)| {
        !name.is_empty()
            && matches!(unit, "s" | "v" | "ds" | "buffer" | "tbuffer" | "global" | "flat" | "scratch" | "image")
    })
}

/// The first word of a statement, without its label and guard.
fn opcode(statement: &str) -> &str {
    let text = statement.trim_start();
    let label = text.find(':').filter(|at| text[..*at].chars().all(is_name_char) && !text[at + 1..].starts_with(':'));
    let text = label.map_or(text, |at| text[at + 1..].trim_start());
    let text = &text[guard::opcode_start(text)..];
    text.split(char::is_whitespace).next().unwrap_or_default()
}

/// Whether an instruction has a dot and exists only in PTX.
fn is_dotted(instruction: &str) -> bool {
    let Some((mnemonic, words)) = instruction.split_once('.') else { return false };
    let known = isa::mnemonics().any(|known| known == mnemonic)
        || isa::unchecked::instructions().iter().any(|other| other.opcode.split('.').next() == Some(mnemonic));
    let mut words = words.split('.');
    match mnemonic {
        _ if !known => {
            let modifiers: Vec<&str> = words.map(str::trim).collect();
            isa::names::is_certainly_ptx(&isa::Spelling { mnemonic, modifiers: &modifiers })
        }
        _ if OF_VIDEO.contains(&mnemonic) => words.count() > 2,
        _ if SHARED.contains(&mnemonic) => words.any(|word| {
            is_type(word)
                || is_of_ptx(word)
                || (OF_MEMORY.contains(&mnemonic) && isa::vocabulary::entry(word).is_some())
        }),
        _ => true,
    }
}

/// Modifiers of shared mnemonics that are neither types nor in the tables.
fn is_of_ptx(word: &str) -> bool {
    matches!(
        word,
        "uni"
            | "param"
            | "lo"
            | "hi"
            | "wide"
            | "approx"
            | "full"
            | "ftz"
            | "sat"
            | "rn"
            | "rz"
            | "rm"
            | "rp"
            | "proxy"
    )
}

/// Whether a word is a type of PTX: `u32`, `f16x2`, `pred`.
fn is_type(word: &str) -> bool {
    let sized =
        word.strip_prefix("bf").or_else(|| word.strip_prefix("tf")).or_else(|| word.strip_prefix(['b', 's', 'u', 'f']));
    word == "pred" || sized.is_some_and(|size| matches!(size, "8" | "16" | "16x2" | "32" | "32x2" | "64" | "128"))
}

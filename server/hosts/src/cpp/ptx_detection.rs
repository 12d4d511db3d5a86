//! Whether a statement is PTX or in the assembly of another processor: many have a `mov` and an `add`, and some write types behind a dot.

/// Mnemonics of PTX that other processors have too, with words behind a dot.
const SHARED: [&str; 30] = [
    "abs", "add", "and", "call", "cvt", "div", "fence", "fma", "ld", "mad", "max", "min", "mov", "mul", "neg", "not",
    "or", "prefetch", "rcp", "rem", "rsqrt", "sel", "set", "shl", "shr", "sqrt", "st", "sub", "xor", "bra",
];
/// Those of them whose words the tables name.
const OF_MEMORY: [&str; 4] = ["fence", "ld", "prefetch", "st"];
/// Those that ARM follows with one type, and PTX with three.
const OF_VIDEO: [&str; 6] = ["vadd", "vsub", "vmin", "vmax", "vshl", "vshr"];
/// Instructions of PTX without a dot.
const UNDOTTED: [&str; 5] = ["ret", "exit", "trap", "brkpt", "bra"];

/// Whether instructions are those of PTX; `ended` says whether each has its `;`.
pub(super) fn is_ptx<'t>(mut instructions: impl Iterator<Item = &'t str> + Clone, ended: bool) -> bool {
    // `ret` is an instruction of most processors, whose assemblers need no `;`.
    let are_undotted =
        |mut all: std::iter::Peekable<_>| all.peek().is_some() && all.all(|text| UNDOTTED.contains(&text));
    (ended && are_undotted(instructions.clone().peekable())) || instructions.any(is_dotted)
}

/// Whether an instruction with a dot is one that PTX alone has.
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

/// Words behind the mnemonics that processors share, beside types and what the tables name.
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

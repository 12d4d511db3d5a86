//! How many registers hold the part of a matrix that one thread has.
//!
//! Sources: PTX ISA, sections on the fragments of mma, wmma and wgmma, and on the shapes of ldmatrix and tcgen05.ld; every number was confirmed by
//! the assembler (`tests/evidence/family/matrix`).

use crate::types::Type;

/// The registers of one operand of a matrix instruction.
pub(crate) struct Fragment {
    pub registers: u8,
    /// The type of each register.
    pub ty: Type,
}

/// The words of an instruction that determine which part of a matrix a thread has.
pub(crate) struct MatrixWords<'w> {
    /// The opcode's family.
    pub family: &'static str,
    /// The word that fills a slot.
    pub word: &'w dyn Fn(&str) -> Option<&'static str>,
}

impl MatrixWords<'_> {
    fn word(&self, slot: &str) -> Option<&'static str> {
        (self.word)(slot)
    }
}

/// The threads of a warp.
const WARP: u32 = 32;
/// The threads of a warpgroup.
const WARPGROUP: u32 = 128;

/// The registers of the operand of this name.
pub(crate) fn of(instruction: &MatrixWords, operand: &str) -> Fragment {
    match instruction.family.split('.').next() {
        Some("mma") => mma(instruction, operand),
        Some("wmma") => wmma(instruction, operand),
        Some("wgmma") => wgmma(instruction, operand),
        Some("spcompress" | "spdecompress") => compressed(instruction, operand),
        Some("tcgen05") if operand == "disabled_lanes" => disabled_lanes(instruction),
        Some("tcgen05") if instruction.word("sparsity").is_some() => compressed_load(instruction, operand),
        Some("tcgen05") => tensor_memory(instruction),
        _ => matrices(instruction),
    }
}

/// The bits of an element.
pub(crate) fn bits(word: &str) -> u32 {
    match word {
        "b1" => 1,
        "s4" | "u4" | "e2m1" => 4,
        "s8" | "u8" | "e4m3" | "e5m2" | "e3m2" | "e2m3" => 8,
        "f16" | "bf16" | "b16" => 16,
        "f64" => 64,
        _ => 32,
    }
}

/// The registers of `elements` elements of a type in each of `threads` threads: 64-bit ones for `.f64`, else 32-bit ones.
fn share(elements: u32, word: &str, threads: u32) -> Fragment {
    // Measured: packed floating-point numbers are not accepted in floating-point registers, integers of 8 bits and less are.
    let ty = match word {
        "f64" => Type::F64,
        "f32" => Type::F32,
        "s32" => Type::S32,
        "f16" | "bf16" | "tf32" => Type::U32,
        _ => Type::B32,
    };
    let width = bits(word);
    Fragment { registers: (elements * width / threads / width.max(32)) as u8, ty }
}

/// The numbers of a shape such as `m16n8k16`: rows, columns, and the length of the products.
pub(crate) fn shape(instruction: &MatrixWords) -> (u32, u32, u32) {
    let number = |letter: char| {
        let (_, rest) = instruction.word("shape")?.split_once(letter)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    (number('m').unwrap_or(0), number('n').unwrap_or(0), number('k').unwrap_or(0))
}

/// The type of a matrix: the word in the slot `dtype`, `atype`, `btype` or `ctype`.
pub(crate) fn element(instruction: &MatrixWords, operand: &str) -> &'static str {
    instruction.word(&format!("{operand}type")).unwrap_or("f32")
}

fn mma(instruction: &MatrixWords, operand: &str) -> Fragment {
    let (m, n, k) = shape(instruction);
    let word = element(instruction, operand);
    let input = matches!(operand, "a" | "b");
    // Four independent products: each thread has part of one.
    if (m, n, k) == (8, 8, 4) && bits(element(instruction, "a")) == 16 {
        let elements = if input { 4 * WARP } else { 8 * WARP };
        return share(elements, word, WARP);
    }
    let sparse = if instruction.word("sparse").is_some() { 2 } else { 1 };
    let elements = match operand {
        "a" => m * k / sparse,
        "b" => n * k,
        _ => m * n,
    };
    // Elements of 4 and 6 bits occupy a byte each where elements of 8 bits are also possible.
    let mixed = matches!(instruction.word("kind"), None | Some("kind::f8f6f4" | "kind::mxf8f6f4"));
    let word = if input && mixed && word == "e2m1" { "e4m3" } else { word };
    share(elements, word, WARP)
}

/// The matrix of an operand of `wmma` and the type of its elements.
pub(crate) fn wmma_matrix<'o>(instruction: &MatrixWords, operand: &'o str) -> (&'o str, &'static str) {
    // The loads and the store name one matrix, and its type.
    let (matrix, word) = match instruction.family {
        "wmma.load.a" => ("a", instruction.word("type")),
        "wmma.load.b" => ("b", instruction.word("type")),
        "wmma.load.c" => ("c", instruction.word("type")),
        "wmma.store.d" => ("d", instruction.word("type")),
        _ => (operand, instruction.word(&format!("{operand}type")).or((operand != "d").then_some("f16"))),
    };
    (matrix, word.unwrap_or("f32"))
}

fn wmma(instruction: &MatrixWords, operand: &str) -> Fragment {
    let (m, n, k) = shape(instruction);
    let (matrix, word) = wmma_matrix(instruction, operand);
    let elements = match matrix {
        // Each 16-bit floating-point input of every shape has 8 registers: several threads hold an element.
        "a" | "b" if word == "f16" => 16 * WARP,
        "a" => m * k,
        "b" => n * k,
        _ => m * n,
    };
    share(elements, word, WARP)
}

fn wgmma(instruction: &MatrixWords, operand: &str) -> Fragment {
    let (m, n, _) = shape(instruction);
    match operand {
        "d" => share(m * n, element(instruction, "d"), WARPGROUP),
        _ => {
            let integers = matches!(element(instruction, "a"), "s8" | "u8" | "b1");
            Fragment { registers: 4, ty: if integers { Type::B32 } else { Type::U32 } }
        }
    }
}

/// How often a shape repeats: `x4`.
fn repeated(instruction: &MatrixWords) -> u8 {
    instruction.word("repeat").and_then(|word| word[1..].parse().ok()).unwrap_or(1)
}

fn tensor_memory(instruction: &MatrixWords) -> Fragment {
    let each = match instruction.word("shape") {
        Some("16x128b") => 2,
        Some("16x256b") => 4,
        _ => 1,
    };
    Fragment { registers: each * repeated(instruction), ty: Type::B32 }
}

/// The masks of output lanes that are not written: 128 bits for each CTA.
fn disabled_lanes(instruction: &MatrixWords) -> Fragment {
    let registers = if instruction.word("cta_group") == Some("cta_group::2") { 8 } else { 4 };
    Fragment { registers, ty: Type::B32 }
}

fn matrices(instruction: &MatrixWords) -> Fragment {
    let each = if instruction.word("shape") == Some("m16n16") { 2 } else { 1 };
    Fragment { registers: each * repeated(instruction), ty: Type::B32 }
}

/// The registers of a compressed matrix: its elements, their indices in each group, and the elements of whole groups.
fn compressed(instruction: &MatrixWords, operand: &str) -> Fragment {
    let number = |slot: &str| instruction.word(slot).and_then(|word| word[1..].parse().ok()).unwrap_or(0);
    let (element, index) = (number("element"), number("index"));
    let groups = instruction.word("sparsity").and_then(|word| word.strip_prefix("sp::")?.split_once(':'));
    let (kept, whole): (u32, u32) = match (instruction.family, groups) {
        // Measured: the repetition counts registers of compressed elements here, and groups in the other direction.
        ("spcompress", _) => (32 / element, 64 / element),
        (_, Some((kept, whole))) => (kept.parse().unwrap_or(1), whole.parse().unwrap_or(1)),
        (_, None) => (1, 1),
    };
    let bits = match operand {
        "metadata" => kept * index,
        "compressed" => kept * element,
        _ => whole * element,
    };
    packed(bits * u32::from(repeated(instruction)))
}

/// The registers of what a load from tensor memory compresses: half of the elements, and two bits for each.
fn compressed_load(instruction: &MatrixWords, operand: &str) -> Fragment {
    let kept = u32::from(repeated(instruction)) / 2;
    packed(if operand == "metadata" { kept * 2 } else { kept * 32 })
}

/// As many 32-bit registers as these bits need.
fn packed(bits: u32) -> Fragment {
    Fragment { registers: bits.div_ceil(32) as u8, ty: Type::B32 }
}

//! How many registers hold the part of a matrix that one thread has.
//!
//! Sources: PTX ISA, sections on the fragments of mma, wmma and wgmma, and on the shapes of ldmatrix and tcgen05.ld; every number was confirmed by
//! the assembler (`tests/evidence/family/matrix`).

use crate::resolve::ResolvedInstruction;
use crate::types::Type;

/// The registers of one operand of a matrix instruction.
pub(crate) struct Fragment {
    pub registers: u8,
    /// The type of each register.
    pub ty: Type,
}

/// The threads of a warp.
const WARP: u32 = 32;
/// The threads of a warpgroup.
const WARPGROUP: u32 = 128;

/// The registers of the operand of this name.
pub(crate) fn of(instruction: &ResolvedInstruction, operand: &str) -> Fragment {
    match instruction.family.name.split('.').next() {
        Some("mma") => mma(instruction, operand),
        Some("wmma") => wmma(instruction, operand),
        Some("wgmma") => wgmma(instruction, operand),
        Some("tcgen05") => tensor_memory(instruction),
        _ => matrices(instruction),
    }
}

/// The bits of an element.
fn bits(word: &str) -> u32 {
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
    let ty = match word {
        "f64" => Type::F64,
        "f32" => Type::F32,
        _ => Type::B32,
    };
    let width = bits(word);
    Fragment { registers: (elements * width / threads / width.max(32)) as u8, ty }
}

/// The numbers of a shape such as `m16n8k16`: rows, columns, and the length of the products.
fn shape(instruction: &ResolvedInstruction) -> (u32, u32, u32) {
    let number = |letter: char| {
        let (_, rest) = instruction.word("shape")?.split_once(letter)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    (number('m').unwrap_or(0), number('n').unwrap_or(0), number('k').unwrap_or(0))
}

/// The type of a matrix: the word in the slot `dtype`, `atype`, `btype` or `ctype`.
fn element(instruction: &ResolvedInstruction, operand: &str) -> &'static str {
    instruction.word(&format!("{operand}type")).unwrap_or("f32")
}

fn mma(instruction: &ResolvedInstruction, operand: &str) -> Fragment {
    let (m, n, k) = shape(instruction);
    let word = element(instruction, operand);
    let input = matches!(operand, "a" | "b");
    // Four independent products: each thread has part of one.
    if (m, n, k) == (8, 8, 4) && bits(element(instruction, "a")) == 16 {
        let elements = if input { 4 * WARP } else { 8 * WARP };
        return share(elements, word, WARP);
    }
    let sparse = if instruction.family.name == "mma" { 1 } else { 2 };
    let elements = match operand {
        "a" => m * k / sparse,
        "b" => n * k,
        _ => m * n,
    };
    // Elements of 4 and 6 bits that may stand beside elements of 8 bits take a byte each.
    let mixed = matches!(instruction.word("kind"), None | Some("kind::f8f6f4" | "kind::mxf8f6f4"));
    let word = if input && mixed && word == "e2m1" { "e4m3" } else { word };
    share(elements, word, WARP)
}

fn wmma(instruction: &ResolvedInstruction, operand: &str) -> Fragment {
    let (m, n, k) = shape(instruction);
    // The loads and the store name one matrix, and its type.
    let (matrix, word) = match instruction.family.name {
        "wmma.load.a" => ("a", instruction.word("type")),
        "wmma.load.b" => ("b", instruction.word("type")),
        "wmma.load.c" | "wmma.store.d" => ("d", instruction.word("type")),
        _ => (operand, instruction.word(&format!("{operand}type")).or((operand != "d").then_some("f16"))),
    };
    let word = word.unwrap_or("f32");
    let elements = match matrix {
        "a" => m * k,
        "b" => n * k,
        _ => m * n,
    };
    // Each element of a 16-bit floating-point input is held by two threads.
    let copies = if matches!(matrix, "a" | "b") && word == "f16" { 2 } else { 1 };
    share(elements * copies, word, WARP)
}

fn wgmma(instruction: &ResolvedInstruction, operand: &str) -> Fragment {
    let (m, n, _) = shape(instruction);
    match operand {
        "d" => share(m * n, element(instruction, "d"), WARPGROUP),
        _ => Fragment { registers: 4, ty: Type::B32 },
    }
}

/// How often a shape repeats: `x4`.
fn repeated(instruction: &ResolvedInstruction) -> u8 {
    instruction.word("repeat").and_then(|word| word[1..].parse().ok()).unwrap_or(1)
}

fn tensor_memory(instruction: &ResolvedInstruction) -> Fragment {
    let each = match instruction.word("shape") {
        Some("16x128b") => 2,
        Some("16x256b") => 4,
        _ => 1,
    };
    Fragment { registers: each * repeated(instruction), ty: Type::B32 }
}

fn matrices(instruction: &ResolvedInstruction) -> Fragment {
    let each = if instruction.word("shape") == Some("m16n16") { 2 } else { 1 };
    Fragment { registers: each * repeated(instruction), ty: Type::B32 }
}

//! Blocks of lines that several families share; `use NAME` puts one into a family.

/// The lines of a block.
///
/// # Panics
/// If there is none of that name: the tables are part of the program, and a test reads all of them.
pub(crate) fn block(name: &str) -> &'static str {
    match name {
        "everywhere" => EVERYWHERE,
        "types" => TYPES,
        "overlap" => OVERLAP,
        _ => panic!("no such block: {name}"),
    }
}

/// What the assembler takes on every instruction and of every version, and what changes nothing: of a group of words that exclude each other one, of
/// types that no instruction has any number (`tests/evidence/family/neighbours.txt.gz`).
const EVERYWHERE: &str = "
ignored .precision acc::f16 acc::f32
ignored .field   box_dim element_stride elemtype fill_mode global_address global_dim global_stride interleave_layout rank swizzle_atomicity swizzle_mode
ignored .class   finite infinite normal notanumber number subnormal
ignored .extra   b2
ignored .packed4 b4x16_p64
ignored .packed6 b6x16_p32
ignored .packed8 b8x16
repeats b2 b4x16_p64 b6x16_p32 b8x16
";

/// Reductions have types of their own, with others that change nothing.
const TYPES: &str = "
refuses b2
ignored .predicate pred
ignored .texture   texref
ignored .sampler   samplerref
ignored .surface   surfref
repeats pred texref samplerref surfref
";

const OVERLAP: &str = "
slot .overlap no_membermask_overlap            PTX 8.4 sm_50
";

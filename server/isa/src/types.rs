//! The vocabulary of an atomic instruction: operation, type, space, semantics, scope.
//!
//! Each has its PTX spelling and its properties.

/// A read-modify-write operation (PTX ISA, atom / red / multimem, `.op`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Compare and swap.
    Cas,
    /// Exchange.
    Exch,
    /// Addition: modular for integers, one rounding to nearest even for floating point.
    Add,
    /// Increment that wraps to zero at the bound: `(old >= b) ? 0 : old + 1`.
    Inc,
    /// Decrement that wraps to the bound: `(old == 0 || old > b) ? b : old - 1`.
    Dec,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// The type of one element in memory (PTX ISA, fundamental, alternate and packed types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // each variant is the PTX spelling in upper case
pub enum Type {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    E4m3,
    E4m3x2,
    E4m3x4,
    E5m2,
    E5m2x2,
    E5m2x4,
    U16x2,
    S16x2,
    U8x4,
    S8x4,
    F32x2,
    Pred,
}

/// The state space of an atomic; [`Space::Generic`] if none is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// No space given: the address decides at run time.
    Generic,
    /// `.global`
    Global,
    /// `.shared` and `.shared::cta`: the own CTA's shared memory.
    SharedCta,
    /// `.shared::cluster`: shared memory of any CTA of the cluster.
    SharedCluster,
}

/// Memory ordering (PTX ISA, Memory Consistency Model, `.sem`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sem {
    /// `.weak`: only multimem.ld_reduce and multimem.st have it.
    Weak,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
}

/// The set of threads that may observe an effect directly, smallest first (PTX ISA, Scope).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The threads of one CTA.
    Cta,
    /// The threads of one cluster.
    Cluster,
    /// The threads of one device.
    Gpu,
    /// All threads, those of the host among them.
    Sys,
}

/// Ties each variant to its spelling, once, for both directions.
macro_rules! spelled {
    ($name:ident: $($variant:ident = $word:literal),+ $(,)?) => {
        impl $name {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The spelling in PTX, without the leading dot.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The value of a spelling without the leading dot; `None` if there is none.
            pub fn parse(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

spelled!(Op: And = "and", Or = "or", Xor = "xor", Cas = "cas", Exch = "exch", Add = "add", Inc = "inc", Dec = "dec",
    Min = "min", Max = "max");

spelled!(Type: B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128", U8 = "u8", U16 = "u16", U32 = "u32",
    U64 = "u64", S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64", F16 = "f16", F16x2 = "f16x2", Bf16 = "bf16",
    Bf16x2 = "bf16x2", F32 = "f32", F64 = "f64", E4m3 = "e4m3", E4m3x2 = "e4m3x2", E4m3x4 = "e4m3x4", E5m2 = "e5m2",
    E5m2x2 = "e5m2x2", E5m2x4 = "e5m2x4", U16x2 = "u16x2", S16x2 = "s16x2", U8x4 = "u8x4", S8x4 = "s8x4", F32x2 = "f32x2", Pred = "pred");

spelled!(Sem: Weak = "weak", Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel");

spelled!(Scope: Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys");

impl Space {
    /// The spelling in PTX, without the leading dot; empty for generic addressing, which has no modifier.
    pub const fn word(self) -> &'static str {
        match self {
            Space::Generic => "",
            Space::Global => "global",
            Space::SharedCta => "shared::cta",
            Space::SharedCluster => "shared::cluster",
        }
    }

    /// The space of a spelling without the leading dot (`shared` is `shared::cta`); `None` if no atomic can name it.
    pub fn parse(word: &str) -> Option<Space> {
        match word {
            "global" => Some(Space::Global),
            "shared" | "shared::cta" => Some(Space::SharedCta),
            "shared::cluster" => Some(Space::SharedCluster),
            _ => None,
        }
    }
}

/// What the bits of an element mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    /// Bits without a meaning (`.b32`).
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer, two's complement.
    Signed,
    /// A floating-point number, or several of them packed into one element.
    Float,
}

impl Type {
    /// The width of one element in bits, all packed parts together; the assembler counts a predicate as 32.
    pub const fn bits(self) -> u32 {
        match self {
            Type::B8 | Type::U8 | Type::S8 | Type::E4m3 | Type::E5m2 => 8,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 | Type::E4m3x2 | Type::E5m2x2 => 16,
            Type::B32
            | Type::U32
            | Type::S32
            | Type::F16x2
            | Type::Bf16x2
            | Type::F32
            | Type::E4m3x4
            | Type::E5m2x4
            | Type::U16x2
            | Type::S16x2
            | Type::U8x4
            | Type::S8x4
            | Type::Pred => 32,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 | Type::F32x2 => 64,
            Type::B128 => 128,
        }
    }

    /// How many numbers one element packs: 1 unless the name ends in `x2` or `x4`.
    pub const fn packed(self) -> u32 {
        match self {
            Type::F16x2 | Type::Bf16x2 | Type::E4m3x2 | Type::E5m2x2 | Type::U16x2 | Type::S16x2 | Type::F32x2 => 2,
            Type::E4m3x4 | Type::E5m2x4 | Type::U8x4 | Type::S8x4 => 4,
            _ => 1,
        }
    }

    /// The type of a product of two numbers of this type, in full: twice as wide. `None` if there is none.
    pub const fn twice_as_wide(self) -> Option<Type> {
        match self {
            Type::U16 => Some(Type::U32),
            Type::S16 => Some(Type::S32),
            Type::U32 => Some(Type::U64),
            Type::S32 => Some(Type::S64),
            _ => None,
        }
    }

    /// What the bits mean.
    pub const fn kind(self) -> TypeKind {
        match self {
            Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128 | Type::Pred => TypeKind::Bits,
            Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::U16x2 | Type::U8x4 => TypeKind::Unsigned,
            Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2 | Type::S8x4 => TypeKind::Signed,
            _ => TypeKind::Float,
        }
    }
}

/// Whether a type of declarations, with its dot, is that of textures, samplers and surfaces.
pub fn is_opaque(ty: &str) -> bool {
    matches!(ty, ".texref" | ".samplerref" | ".surfref")
}

//! What is accepted as an operand of a group of instructions, and how the rows name it.

use crate::operand_class::integer_set::IntegerSet;

/// An operand of a barrier, an mbarrier, a shuffle, a vote, or the like ([`crate::OperandClass::Synchronization`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SynchronizationClass {
    /// As [`crate::OperandClass::CountAmong`], where the low 32 bits of a constant count.
    Wrapping(IntegerSet),
    /// A count of arrivals at an mbarrier: a positive 32-bit integer.
    Arrivals,
    /// An integer register of the type, or an integer constant.
    PlainInteger,
    /// The state of an mbarrier: a 64-bit integer register or `_`; with `.shared::cluster` only `_`.
    BarrierState,
    /// A predicate register that takes the result of a wait; with `.phase_type::primary` a pair may follow its report.
    WaitResult,
    /// An 8-bit register that takes the report of a wait with `.phase_type::primary`.
    Report,
    /// A register of the type or `_`, optionally followed by `|` and a predicate.
    MatchResult,
    /// A register of the type, optionally followed by `|` and a predicate.
    ShuffleResult,
    /// A fraction greater than 0, at most 1.
    Fraction,
    /// The size of a whole, a 32-bit integer; as a constant, without a sign, at least the size of the part before it.
    TotalSize,
    /// An address without brackets: a register, a constant, or a variable of the space.
    SymbolAddress,
    /// A generic address without brackets: an integer of 32 or 64 bits.
    GenericAddress,
    /// As [`crate::OperandClass::CountAmong`], in a register of 32 or 64 bits.
    AnySize(IntegerSet),
    /// A value of the type, or a list of them.
    ScalarOrList,
}

impl SynchronizationClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<SynchronizationClass> {
        Some(match word {
            "integer" => SynchronizationClass::PlainInteger,
            "state" => SynchronizationClass::BarrierState,
            "wait_result" => SynchronizationClass::WaitResult,
            "report" => SynchronizationClass::Report,
            "match_result" => SynchronizationClass::MatchResult,
            "shuffle_result" => SynchronizationClass::ShuffleResult,
            "fraction" => SynchronizationClass::Fraction,
            "total_size" => SynchronizationClass::TotalSize,
            "symbol" => SynchronizationClass::SymbolAddress,
            "any_address" => SynchronizationClass::GenericAddress,
            "scalar_or_list" => SynchronizationClass::ScalarOrList,
            "arrivals" => SynchronizationClass::Arrivals,
            _ => return None,
        })
    }
}

/// An operand of an asynchronous copy ([`crate::OperandClass::Copy`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyClass {
    /// How many bytes of a copy are read: a 32-bit integer, as a constant at most the size of the copy; or a predicate.
    SourceSize,
    /// The CTAs of a multicast: an integer; the modifier determines its width.
    CtaMask,
    /// The bytes of a copy: a 16-bit integer.
    ByteMask,
    /// A tensor map, what replaces its properties, and coordinates.
    TensorMap,
    /// The 16-bit offsets of an `im2col` mode in braces.
    Offsets,
    /// An address that may also be written without brackets.
    UnbracketedAddress,
    /// The address of the mbarrier of a bulk copy.
    BulkBarrier,
    /// Anything in brackets.
    Bracketed,
    /// An address of another GPU: the handle of an endpoint and an offset, in brackets.
    Endpoint,
    /// A tensor of another GPU: as [`CopyClass::TensorMap`], with the handle of an endpoint after the map.
    EndpointTensor,
}

impl CopyClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<CopyClass> {
        Some(match word {
            "bracketed" => CopyClass::Bracketed,
            "bulk_barrier" => CopyClass::BulkBarrier,
            "source_size" => CopyClass::SourceSize,
            "cta_mask" => CopyClass::CtaMask,
            "byte_mask" => CopyClass::ByteMask,
            "tensor_map" => CopyClass::TensorMap,
            "offsets" => CopyClass::Offsets,
            "unbracketed" => CopyClass::UnbracketedAddress,
            "endpoint" => CopyClass::Endpoint,
            "endpoint_tensor" => CopyClass::EndpointTensor,
            _ => return None,
        })
    }
}

/// An operand of a matrix instruction ([`crate::OperandClass::Matrix`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixClass {
    /// A list of registers in braces: the part of a matrix that one thread holds.
    Registers,
    /// A register of the type, in braces or without, never a constant.
    Register,
    /// As [`MatrixClass::Register`], or a predicate.
    RegisterOrPredicate,
    /// As [`MatrixClass::RegisterOrPredicate`], without braces; for a result, `_` too.
    BareRegister,
    /// The 64-bit descriptor of a matrix in shared memory: a register or a constant.
    Descriptor,
    /// An address in tensor memory: a 32-bit register in brackets.
    TensorAddress,
    /// Two 16-bit integers in braces; constants among them must be in the two sets.
    Selectors(IntegerSet, IntegerSet),
}

impl MatrixClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<MatrixClass> {
        Some(match word {
            "register" => MatrixClass::Register,
            "register_or_predicate" => MatrixClass::RegisterOrPredicate,
            "bare_register" => MatrixClass::BareRegister,
            "registers" => MatrixClass::Registers,
            "descriptor" => MatrixClass::Descriptor,
            "tensor" => MatrixClass::TensorAddress,
            _ => return None,
        })
    }
}

/// An operand of a move or a conversion ([`crate::OperandClass::Move`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveClass {
    /// As [`crate::OperandClass::Typed`], or a special register, or the address of a variable or a function.
    AddressOrValue,
    /// As [`MoveClass::AddressOrValue`], or a vector that is as wide as the type in all.
    Packed,
    /// As [`crate::OperandClass::Typed`], or a wider register.
    Wider,
    /// As [`MoveClass::Wider`], or a special register that is wide enough.
    WiderOrSpecial,
    /// A list of four values of the type.
    Four,
    /// An untyped register of exactly the type's width.
    Bits,
    /// As [`crate::OperandClass::Typed`], but neither a function nor a sum.
    Plain,
}

impl MoveClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<MoveClass> {
        Some(match word {
            "address_or_value" => MoveClass::AddressOrValue,
            "packed" => MoveClass::Packed,
            "wider" => MoveClass::Wider,
            "wider_or_special" => MoveClass::WiderOrSpecial,
            "four" => MoveClass::Four,
            "bits" => MoveClass::Bits,
            "plain" => MoveClass::Plain,
            _ => return None,
        })
    }
}

/// An operand of control flow or of the stack ([`crate::OperandClass::Control`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlClass {
    /// A label of the function.
    Label,
    /// A list of labels that `.branchtargets` declares.
    LabelList,
    /// A constant that is a power of two.
    Alignment,
    /// A part of a call, which is checked as a whole.
    Call,
}

impl ControlClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<ControlClass> {
        Some(match word {
            "label" => ControlClass::Label,
            "label_list" => ControlClass::LabelList,
            "alignment" => ControlClass::Alignment,
            "call" => ControlClass::Call,
            _ => return None,
        })
    }
}

/// An operand of a video instruction ([`crate::OperandClass::Video`]): an integer of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoClass {
    /// A register that takes the result.
    Result,
    /// A register that takes the result; a selector may say in which byte or half-word.
    PartResult,
    /// A value; of a register, a selector may pick a byte or a half-word.
    Part,
    /// As [`VideoClass::Part`], perhaps negated.
    NegatablePart,
    /// A value, perhaps negated.
    Negatable,
    /// A value that is combined with the result.
    Summand,
    /// A register that is combined with the lanes of the result.
    LaneSummand,
    /// A register, of which a selector may pick the lanes.
    Lanes(LaneCount),
    /// A register that takes the result; a selector may say in which lanes.
    LaneMask(LaneCount),
}

impl VideoClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<VideoClass> {
        Some(match word {
            "video_result" => VideoClass::Result,
            "part_result" => VideoClass::PartResult,
            "part" => VideoClass::Part,
            "negatable_part" => VideoClass::NegatablePart,
            "negatable" => VideoClass::Negatable,
            "summand" => VideoClass::Summand,
            "lane_summand" => VideoClass::LaneSummand,
            "half_words" => VideoClass::Lanes(LaneCount::Two),
            "bytes" => VideoClass::Lanes(LaneCount::Four),
            "half_words_mask" => VideoClass::LaneMask(LaneCount::Two),
            "bytes_mask" => VideoClass::LaneMask(LaneCount::Four),
            _ => return None,
        })
    }
}

/// The lanes of a video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneCount {
    /// Two half-words.
    Two,
    /// Four bytes.
    Four,
}

/// An operand of a texture or surface instruction ([`crate::OperandClass::Texture`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureClass {
    /// A list that takes the texels, optionally followed by `|` and a predicate for whether they are resident.
    Texels,
    /// An element of a surface, or a list of them: registers of the type or wider ones.
    Texel,
    /// A texture, optionally a sampler, and coordinates.
    Texture,
    /// A surface and coordinates.
    Surface,
    /// A texture without coordinates.
    TextureHandle,
    /// A surface without coordinates.
    SurfaceHandle,
    /// Offsets that are added to the coordinates.
    TexelOffsets,
    /// The derivatives of the coordinates along one axis.
    Derivatives,
    /// A level of detail: a number, or a list.
    Level,
}

impl TextureClass {
    /// The class that a word of the rows names.
    pub(super) fn named(word: &str) -> Option<TextureClass> {
        Some(match word {
            "texels" => TextureClass::Texels,
            "texel" => TextureClass::Texel,
            "texture" => TextureClass::Texture,
            "surface" => TextureClass::Surface,
            "texture_handle" => TextureClass::TextureHandle,
            "surface_handle" => TextureClass::SurfaceHandle,
            "texel_offsets" => TextureClass::TexelOffsets,
            "derivatives" => TextureClass::Derivatives,
            "level" => TextureClass::Level,
            _ => return None,
        })
    }
}

//! What is accepted as an operand.

use crate::rows::ReadPart;
use crate::types::Type;
use std::fmt;

/// What the assembler accepts as an operand, beyond what its role and type say (`tests/evidence/operands`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandClass {
    /// A register of the type; for what is read, a constant too.
    Typed,
    /// As [`OperandClass::Typed`], or `_` for a result that is not needed.
    Droppable,
    /// A register of 32 bits for an integer that takes the result.
    IntegerResult,
    /// A 32-bit integer, such as a shift count: a register or a constant.
    Count,
    /// As [`OperandClass::Count`], where a constant is at most 255.
    Byte,
    /// An integer constant.
    Immediate,
    /// A predicate, or its negation, or an integer constant.
    Predicate,
    /// A predicate, or its negation.
    PredicateRegister,
    /// A predicate register that takes the result.
    PredicateResult,
    /// A predicate register that takes the result, or `_`.
    DroppablePredicate,
    /// As [`OperandClass::DroppablePredicate`], or a pair `p|q` of which the second takes the opposite result.
    PredicatePair,
    /// A register of the type or `_`, and behind `|` a predicate that takes whether it is not zero.
    WithPredicate,
    /// A constant that is one of these integers.
    Integer(IntegerSet),
    /// As [`OperandClass::Predicate`]; a constant must be one of these.
    PredicateAmong(IntegerSet),
    /// A 32-bit integer; a constant must be one of these.
    CountAmong(IntegerSet),
    /// An operand of a barrier, an mbarrier, a shuffle, a vote, or the like.
    Synchronization(SynchronizationClass),
    /// An operand of an asynchronous copy.
    Copy(CopyClass),
    /// An operand of a matrix instruction.
    Matrix(MatrixClass),
    /// An operand of a move or a conversion.
    Move(MoveClass),
    /// An operand of control flow or of the stack.
    Control(ControlClass),
    /// An operand of a video instruction.
    Video(VideoClass),
    /// An operand of a texture or surface instruction.
    Texture(TextureClass),
}

/// An operand of a barrier, an mbarrier, a shuffle, a vote, or the like ([`OperandClass::Synchronization`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SynchronizationClass {
    /// As [`OperandClass::CountAmong`], where the low 32 bits of a constant count.
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
    /// A register of the type or `_`, and behind `|` perhaps a predicate.
    MatchResult,
    /// A register of the type, and behind `|` perhaps a predicate.
    ShuffleResult,
    /// A fraction above 0 up to 1.
    Fraction,
    /// An address without brackets: a register, a constant, or a variable of the space.
    SymbolAddress,
    /// A generic address without brackets: an integer of 32 or 64 bits.
    GenericAddress,
    /// As [`OperandClass::CountAmong`], in a register of 32 or 64 bits.
    AnySize(IntegerSet),
    /// A value of the type, or a list of them.
    ScalarOrList,
}

/// An operand of an asynchronous copy ([`OperandClass::Copy`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyClass {
    /// How many bytes of a copy are read: a 32-bit integer, as a constant at most the size of the copy; or a predicate.
    SourceSize,
    /// The CTAs of a multicast: an integer as wide as the modifier says.
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
}

/// An operand of a matrix instruction ([`OperandClass::Matrix`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixClass {
    /// A list of registers in braces: the part of a matrix that one thread holds.
    Registers,
    /// A register of the type, never a constant.
    Register,
    /// The 64-bit description of a matrix in shared memory: a register or a constant.
    Descriptor,
    /// An address in tensor memory: a 32-bit register in brackets.
    TensorAddress,
    /// Two 16-bit integers in braces; constants among them must be in the two sets.
    Selectors(IntegerSet, IntegerSet),
}

/// An operand of a move or a conversion ([`OperandClass::Move`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveClass {
    /// As [`OperandClass::Typed`], or a special register, or the address of a variable or a function.
    AddressOrValue,
    /// As [`MoveClass::AddressOrValue`], or a vector that is as wide as the type in all.
    Packed,
    /// As [`OperandClass::Typed`], or a wider register.
    Wider,
    /// As [`MoveClass::Wider`], or a special register that is wide enough.
    WiderOrSpecial,
    /// A list of four values of the type.
    Four,
    /// An untyped register of exactly the type's width.
    Bits,
    /// As [`OperandClass::Typed`], but neither a function nor a sum.
    Plain,
}

/// An operand of control flow or of the stack ([`OperandClass::Control`]).
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

/// An operand of a video instruction ([`OperandClass::Video`]): an integer of 32 bits.
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
    /// A register, of which a selector may pick the lanes.
    Lanes(LaneCount),
    /// A register that takes the result; a selector may say in which lanes.
    LaneMask(LaneCount),
}

/// The lanes of a video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneCount {
    /// Two half-words.
    Two,
    /// Four bytes.
    Four,
}

/// An operand of a texture or surface instruction ([`OperandClass::Texture`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureClass {
    /// A list that takes the texels, and behind `|` perhaps a predicate that takes whether they are resident.
    Texels,
    /// An element of a surface, or a list of them: registers of the type or wider ones.
    Texel,
    /// A texture, perhaps a sampler, and coordinates.
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
}

/// Integers that a constant operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerSet(Integers);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Integers {
    /// The multiples of a number between two bounds.
    Range { least: i128, greatest: i128, multiple: i128 },
    /// `a|b|…`, each an integer.
    List(&'static str),
}

impl IntegerSet {
    /// Reads `a|b|…`, `least..greatest` or `least..greatest/multiple`.
    pub(crate) fn read(text: &'static str) -> Result<IntegerSet, String> {
        let integer = |number: &str| number.parse::<i128>().map_err(|_| format!("no integer: `{number}` in `{text}`"));
        let (bounds, multiple) = text.split_once('/').unwrap_or((text, "1"));
        let Some((least, greatest)) = bounds.split_once("..") else {
            text.split('|').try_for_each(|number| integer(number).map(|_| ()))?;
            return Ok(IntegerSet(Integers::List(text)));
        };
        let (least, greatest, multiple) = (integer(least)?, integer(greatest)?, integer(multiple)?);
        Ok(IntegerSet(Integers::Range { least, greatest, multiple }))
    }

    /// Whether the number is one of them.
    pub fn contains(self, number: i128) -> bool {
        match self.0 {
            Integers::Range { least, greatest, multiple } => {
                (least..=greatest).contains(&number) && number % multiple == 0
            }
            Integers::List(text) => text.split('|').any(|one| one.parse() == Ok(number)),
        }
    }
}

impl fmt::Display for IntegerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Integers::Range { least, greatest, multiple: 1 } => write!(f, "{least} to {greatest}"),
            Integers::Range { least, greatest, multiple } => {
                write!(f, "a multiple of {multiple} from {least} to {greatest}")
            }
            Integers::List(text) => {
                let (rest, last) = text.rsplit_once('|').unwrap_or(("", text));
                match rest {
                    "" => f.write_str(last),
                    rest => write!(f, "{} or {last}", rest.replace('|', ", ")),
                }
            }
        }
    }
}

impl OperandClass {
    /// Reads the word of a class, as the rows write it. `None` if no class has this name.
    ///
    /// # Errors
    /// A set of integers that cannot be read.
    pub(crate) fn read(word: &'static str) -> ReadPart<Option<OperandClass>> {
        match word.strip_suffix(')').and_then(|word| word.split_once('(')) {
            Some((name, integers)) => Self::with_integers(name, integers),
            None => Ok(Self::named(word)),
        }
    }

    /// A class that names the integers that a constant may be.
    fn with_integers(name: &str, integers: &'static str) -> ReadPart<Option<OperandClass>> {
        let set = || IntegerSet::read(integers);
        Ok(Some(match name {
            "integer" => OperandClass::Integer(set()?),
            "count" => OperandClass::CountAmong(set()?),
            "predicate" => OperandClass::PredicateAmong(set()?),
            "wrapping" => OperandClass::Synchronization(SynchronizationClass::Wrapping(set()?)),
            "any_size" => OperandClass::Synchronization(SynchronizationClass::AnySize(set()?)),
            "selectors" => {
                let (first, second) = integers.split_once(';').ok_or_else(|| format!("no `;` in `{integers}`"))?;
                OperandClass::Matrix(MatrixClass::Selectors(IntegerSet::read(first)?, IntegerSet::read(second)?))
            }
            _ => return Ok(None),
        }))
    }

    fn named(word: &str) -> Option<OperandClass> {
        Some(match word {
            "droppable" => OperandClass::Droppable,
            "count" => OperandClass::Count,
            "byte" => OperandClass::Byte,
            "immediate" => OperandClass::Immediate,
            "predicate" => OperandClass::Predicate,
            "predicate_register" => OperandClass::PredicateRegister,
            "predicate_result" => OperandClass::PredicateResult,
            "droppable_predicate" => OperandClass::DroppablePredicate,
            "predicate_pair" => OperandClass::PredicatePair,
            "with_predicate" => OperandClass::WithPredicate,
            "result" => OperandClass::IntegerResult,
            "integer" => OperandClass::Synchronization(SynchronizationClass::PlainInteger),
            "state" => OperandClass::Synchronization(SynchronizationClass::BarrierState),
            "wait_result" => OperandClass::Synchronization(SynchronizationClass::WaitResult),
            "report" => OperandClass::Synchronization(SynchronizationClass::Report),
            "match_result" => OperandClass::Synchronization(SynchronizationClass::MatchResult),
            "shuffle_result" => OperandClass::Synchronization(SynchronizationClass::ShuffleResult),
            "fraction" => OperandClass::Synchronization(SynchronizationClass::Fraction),
            "symbol" => OperandClass::Synchronization(SynchronizationClass::SymbolAddress),
            "any_address" => OperandClass::Synchronization(SynchronizationClass::GenericAddress),
            "scalar_or_list" => OperandClass::Synchronization(SynchronizationClass::ScalarOrList),
            "arrivals" => OperandClass::Synchronization(SynchronizationClass::Arrivals),
            "bracketed" => OperandClass::Copy(CopyClass::Bracketed),
            "bulk_barrier" => OperandClass::Copy(CopyClass::BulkBarrier),
            "source_size" => OperandClass::Copy(CopyClass::SourceSize),
            "cta_mask" => OperandClass::Copy(CopyClass::CtaMask),
            "byte_mask" => OperandClass::Copy(CopyClass::ByteMask),
            "tensor_map" => OperandClass::Copy(CopyClass::TensorMap),
            "offsets" => OperandClass::Copy(CopyClass::Offsets),
            "unbracketed" => OperandClass::Copy(CopyClass::UnbracketedAddress),
            "register" => OperandClass::Matrix(MatrixClass::Register),
            "registers" => OperandClass::Matrix(MatrixClass::Registers),
            "descriptor" => OperandClass::Matrix(MatrixClass::Descriptor),
            "tensor" => OperandClass::Matrix(MatrixClass::TensorAddress),
            "address_or_value" => OperandClass::Move(MoveClass::AddressOrValue),
            "packed" => OperandClass::Move(MoveClass::Packed),
            "wider" => OperandClass::Move(MoveClass::Wider),
            "wider_or_special" => OperandClass::Move(MoveClass::WiderOrSpecial),
            "four" => OperandClass::Move(MoveClass::Four),
            "bits" => OperandClass::Move(MoveClass::Bits),
            "plain" => OperandClass::Move(MoveClass::Plain),
            "label" => OperandClass::Control(ControlClass::Label),
            "label_list" => OperandClass::Control(ControlClass::LabelList),
            "alignment" => OperandClass::Control(ControlClass::Alignment),
            "call" => OperandClass::Control(ControlClass::Call),
            "video_result" => OperandClass::Video(VideoClass::Result),
            "part_result" => OperandClass::Video(VideoClass::PartResult),
            "part" => OperandClass::Video(VideoClass::Part),
            "negatable_part" => OperandClass::Video(VideoClass::NegatablePart),
            "negatable" => OperandClass::Video(VideoClass::Negatable),
            "half_words" => OperandClass::Video(VideoClass::Lanes(LaneCount::Two)),
            "bytes" => OperandClass::Video(VideoClass::Lanes(LaneCount::Four)),
            "half_words_mask" => OperandClass::Video(VideoClass::LaneMask(LaneCount::Two)),
            "bytes_mask" => OperandClass::Video(VideoClass::LaneMask(LaneCount::Four)),
            "texels" => OperandClass::Texture(TextureClass::Texels),
            "texel" => OperandClass::Texture(TextureClass::Texel),
            "texture" => OperandClass::Texture(TextureClass::Texture),
            "surface" => OperandClass::Texture(TextureClass::Surface),
            "texture_handle" => OperandClass::Texture(TextureClass::TextureHandle),
            "surface_handle" => OperandClass::Texture(TextureClass::SurfaceHandle),
            "texel_offsets" => OperandClass::Texture(TextureClass::TexelOffsets),
            "derivatives" => OperandClass::Texture(TextureClass::Derivatives),
            _ => return None,
        })
    }

    /// The type of the operands of a class that is the same in every instruction.
    pub(crate) fn fixed_type(self) -> Option<Type> {
        match self {
            OperandClass::Predicate
            | OperandClass::PredicateAmong(_)
            | OperandClass::PredicateRegister
            | OperandClass::PredicateResult
            | OperandClass::DroppablePredicate
            | OperandClass::PredicatePair
            | OperandClass::Synchronization(SynchronizationClass::WaitResult) => Some(Type::Pred),
            OperandClass::Count
            | OperandClass::CountAmong(_)
            | OperandClass::Byte
            | OperandClass::Immediate
            | OperandClass::Integer(_)
            | OperandClass::Matrix(MatrixClass::TensorAddress | MatrixClass::Selectors(..))
            | OperandClass::Video(_) => Some(Type::U32),
            OperandClass::Matrix(MatrixClass::Descriptor) => Some(Type::U64),
            OperandClass::Synchronization(SynchronizationClass::Report) => Some(Type::U8),
            OperandClass::Synchronization(SynchronizationClass::Fraction) => Some(Type::F32),
            _ => None,
        }
    }
}

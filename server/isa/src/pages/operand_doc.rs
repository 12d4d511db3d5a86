//! What an operand is, as text for pages and signature help.

use crate::operand_class::{
    ControlClass, CopyClass, LaneCount, MatrixClass, MoveClass, OperandClass, SynchronizationClass, TextureClass,
    VideoClass,
};
use crate::tables::form::{Form, OperandSpec, OperandType, Role};
use std::fmt::Write;

impl OperandSpec {
    /// What is accepted there, as half a sentence: "register or constant, `.u32`".
    pub fn description(&self) -> String {
        let ty = format!("`.{}`", self.ty.word());
        self.described(&if self.lanes > 1 { format!("`.v{}` of {ty}", self.lanes) } else { ty })
    }

    /// The same for a page, on which no instruction gives the type.
    fn description_without_instruction(&self) -> String {
        if (self.role, self.class) == (Role::Address, OperandClass::Typed) {
            return "address in brackets".to_owned();
        }
        self.described(&match self.source {
            OperandType::Instruction => "the instruction's type".to_owned(),
            OperandType::Source => "the source type".to_owned(),
            OperandType::Wide => "twice the width of the instruction's type".to_owned(),
            OperandType::Fixed(ty) => format!("`.{}`", ty.word()),
        })
    }

    fn described(&self, ty: &str) -> String {
        match (self.role, self.class) {
            (Role::Address, OperandClass::Typed) => format!("address in brackets, of {ty} in memory"),
            (Role::Policy, _) => {
                "cache policy of 64 bits, made by `createpolicy`; there exactly if `.L2::cache_hint` is".to_owned()
            }
            (Role::Compare, _) => format!("value that memory is compared with: register or constant, {ty}"),
            (Role::Destination, OperandClass::Typed | OperandClass::Matrix(MatrixClass::BareRegister)) => {
                format!("register that takes the result, {ty}")
            }
            (Role::Destination, OperandClass::Move(MoveClass::Wider)) => {
                format!("register that takes the result, {ty} or wider")
            }
            (Role::Destination, OperandClass::Move(MoveClass::AddressOrValue | MoveClass::Plain)) => {
                format!("register that takes the result, {ty}")
            }
            (Role::Destination, OperandClass::Move(MoveClass::Packed)) => {
                format!("register that takes the result, or list of registers in braces that is as wide in all, {ty}")
            }
            (_, class) => class.described(ty),
        }
    }
}

impl OperandClass {
    fn described(self, ty: &str) -> String {
        match self {
            OperandClass::Typed => format!("register or constant, {ty}"),
            OperandClass::Droppable => format!("register that takes the result, {ty}, or `_`"),
            OperandClass::IntegerResult => "register that takes the result, an integer of 32 bits".to_owned(),
            OperandClass::Count => "32-bit integer: register or constant".to_owned(),
            OperandClass::Byte => "32-bit integer: register, or constant from 0 to 255".to_owned(),
            OperandClass::Immediate => "integer constant".to_owned(),
            OperandClass::Predicate => "predicate, perhaps negated (`!p`), or integer constant".to_owned(),
            OperandClass::PredicateRegister => "predicate, perhaps negated (`!p`)".to_owned(),
            OperandClass::PredicateResult => "predicate register that takes the result".to_owned(),
            OperandClass::DroppablePredicate => "predicate register that takes the result, or `_`".to_owned(),
            OperandClass::PredicatePair => "predicate register that takes the result, or a pair `p|q`".to_owned(),
            OperandClass::WithPredicate => {
                format!(
                    "register that takes the result, {ty}, or `_`; after `|`, a predicate that takes the second result"
                )
            }
            OperandClass::Integer(set) => format!("constant: {set}"),
            OperandClass::PredicateAmong(set) => format!("predicate, perhaps negated (`!p`), or constant: {set}"),
            OperandClass::CountAmong(set) => format!("32-bit integer: register, or constant: {set}"),
            OperandClass::Synchronization(class) => class.described(ty),
            OperandClass::Copy(class) => class.described().to_owned(),
            OperandClass::Matrix(class) => class.described(ty),
            OperandClass::Move(class) => class.described(ty),
            OperandClass::Control(class) => class.described().to_owned(),
            OperandClass::Video(class) => class.described(),
            OperandClass::Texture(class) => class.described().to_owned(),
        }
    }
}

impl SynchronizationClass {
    fn described(self, ty: &str) -> String {
        match self {
            SynchronizationClass::Wrapping(set) => format!("32-bit integer: register, or constant: {set}"),
            SynchronizationClass::Arrivals => "positive 32-bit integer: register or constant".to_owned(),
            SynchronizationClass::PlainInteger => format!("integer register or constant, {ty}"),
            SynchronizationClass::BarrierState => "state of an mbarrier: 64-bit integer register, or `_`".to_owned(),
            SynchronizationClass::WaitResult => {
                "predicate register: whether the phase is complete; with `.phase_type::primary`, perhaps a pair"
                    .to_owned()
            }
            SynchronizationClass::Report => "8-bit register that takes the report of the phase".to_owned(),
            SynchronizationClass::MatchResult => {
                format!("register that takes the result, {ty}, or `_`; after `|`, perhaps a predicate")
            }
            SynchronizationClass::ShuffleResult => {
                format!(
                    "register that takes the result, {ty}; after `|`, perhaps a predicate: whether the lane is in range"
                )
            }
            SynchronizationClass::Fraction => "fraction above 0.0 up to 1.0: register or constant".to_owned(),
            SynchronizationClass::TotalSize => {
                "32-bit integer, at least the size before it: register or constant".to_owned()
            }
            SynchronizationClass::SymbolAddress => {
                "address without brackets: register, constant or variable".to_owned()
            }
            SynchronizationClass::GenericAddress => "generic address without brackets: integer".to_owned(),
            SynchronizationClass::AnySize(set) => format!("integer of 32 or 64 bits: register, or constant: {set}"),
            SynchronizationClass::ScalarOrList => format!("value, or list of values in braces, {ty}"),
        }
    }
}

impl CopyClass {
    fn described(self) -> &'static str {
        match self {
            CopyClass::SourceSize => {
                "number of bytes that are read, at most the size of the copy; or a predicate: whether none is read"
            }
            CopyClass::CtaMask => "CTAs of the cluster, a bit each: register or constant as wide as the modifier says",
            CopyClass::ByteMask => "bytes of each 16 that are copied, a bit each: 16-bit integer",
            CopyClass::TensorMap => "address of the tensor map, and coordinates in braces",
            CopyClass::Offsets => "16-bit offsets of the `im2col` mode, in braces",
            CopyClass::UnbracketedAddress => "address, in brackets or without",
            CopyClass::BulkBarrier => "address of the mbarrier that completion is signalled at, in brackets",
            CopyClass::Endpoint => "handle of an endpoint (`.b32`) and offset (`.b64`), in brackets",
            CopyClass::EndpointTensor => {
                "address of the tensor map, handle of an endpoint (`.b32`), address of the tensor (`.b64`), and coordinates in braces"
            }
            CopyClass::Bracketed => "address in brackets",
        }
    }
}

impl MatrixClass {
    fn described(self, ty: &str) -> String {
        match self {
            MatrixClass::Registers => "list of registers in braces".to_owned(),
            MatrixClass::Register | MatrixClass::RegisterOrPredicate | MatrixClass::BareRegister => {
                format!("register, {ty}")
            }
            MatrixClass::Descriptor => {
                "64-bit description of a matrix in shared memory: register or constant".to_owned()
            }
            MatrixClass::TensorAddress => "address in tensor memory, in brackets".to_owned(),
            MatrixClass::Selectors(first, second) => {
                format!("two 16-bit integers in braces: the first {first}, the second {second}")
            }
        }
    }
}

impl MoveClass {
    fn described(self, ty: &str) -> String {
        match self {
            MoveClass::AddressOrValue => {
                format!("register, constant, special register, or address of a variable or function, {ty}")
            }
            MoveClass::Packed => {
                format!("register, constant, special register, address, or list in braces that is as wide in all, {ty}")
            }
            MoveClass::Wider => format!("register or constant, {ty} or wider"),
            MoveClass::WiderOrSpecial => format!("register, constant or special register, {ty} or wider"),
            MoveClass::Four => format!("list of four values in braces, {ty}"),
            MoveClass::Bits => format!("untyped register of exactly this width, {ty}"),
            MoveClass::Plain => format!("register, constant or address of a variable, {ty}"),
        }
    }
}

impl ControlClass {
    fn described(self) -> &'static str {
        match self {
            ControlClass::Label => "label of the function",
            ControlClass::LabelList => "label of a `.branchtargets` list",
            ControlClass::Alignment => "constant: a power of two, at most 8388608",
            ControlClass::Call => "part of the call, as the called function declares it",
        }
    }
}

impl VideoClass {
    fn described(self) -> String {
        match self {
            VideoClass::Result => "32-bit register that takes the result".to_owned(),
            VideoClass::PartResult => {
                "32-bit register that takes the result; a selector such as `.b0` says where".to_owned()
            }
            VideoClass::Part => "32-bit register or constant; a selector such as `.b0` picks a part".to_owned(),
            VideoClass::NegatablePart => {
                "32-bit register or constant, perhaps negated; a selector such as `.b0` picks a part".to_owned()
            }
            VideoClass::Summand => "32-bit register or constant that is combined with the result".to_owned(),
            VideoClass::LaneSummand => "32-bit register that is combined with the lanes of the result".to_owned(),
            VideoClass::Negatable => "32-bit register or constant, perhaps negated".to_owned(),
            VideoClass::Lanes(count) => {
                format!("32-bit register of {}; a selector picks lanes", count.described())
            }
            VideoClass::LaneMask(count) => {
                format!("32-bit register of {} that takes the result; a selector says which lanes", count.described())
            }
        }
    }
}

impl LaneCount {
    fn described(self) -> &'static str {
        match self {
            LaneCount::Two => "two half-words",
            LaneCount::Four => "four bytes",
        }
    }
}

impl TextureClass {
    fn described(self) -> &'static str {
        match self {
            TextureClass::Texels => {
                "list of registers in braces that takes the texels; after `|`, perhaps a predicate: whether they are resident"
            }
            TextureClass::Texel => {
                "element of the surface, or list of elements in braces: registers of the type or wider"
            }
            TextureClass::Texture => "texture, perhaps a sampler, and coordinates, in brackets",
            TextureClass::Surface => "surface and coordinates, in brackets",
            TextureClass::TextureHandle => "texture, in brackets",
            TextureClass::SurfaceHandle => "surface, in brackets",
            TextureClass::TexelOffsets => "offsets that are added to the coordinates",
            TextureClass::Level => "level of detail: a number",
            TextureClass::Derivatives => "derivatives of the coordinates along one axis, in braces",
        }
    }
}

/// What operands mean whose name and kind do not say it.
const NOTES: [(&str, &str); 9] = [
    (
        "disabled_lanes",
        "a mask of the lanes of tensor memory that are not written: 4 registers, with `.cta_group::2` 8",
    ),
    ("zero_column_mask", "it describes a mask of the columns of `b` that count as zero"),
    ("scale_d", "the old `d` is divided by 2 to this power first"),
    ("enable", "whether the product is added to the old `d`; else it replaces it"),
    ("membermask", "a bit for each lane of the warp that takes part; each of them must execute the instruction"),
    (
        "clamp_and_mask",
        "bits 0 to 4: the last lane (`.up`: the first) that can be read; bits 8 to 12: the bits of the lane that stay, which splits a warp into segments",
    ),
    ("lane_or_offset", "a lane, or the distance to it, as the mode says"),
    ("state", "what `mbarrier.arrive` returned: the phase in which it arrived"),
    ("parity", "0 for the first phase, 1 for the second, and so on in turn"),
];

/// The operands of forms, one a line: each name with what is accepted there.
pub(crate) fn list<'a>(forms: impl Iterator<Item = &'a Form>) -> String {
    let mut operands: Vec<(&str, Vec<String>)> = Vec::new();
    for operand in forms.flat_map(|form| &form.operand_lists).flat_map(|list| &list.operands) {
        let description = operand.description_without_instruction();
        match operands.iter_mut().find(|(name, _)| *name == operand.name) {
            None => operands.push((operand.name, vec![description])),
            Some((_, all)) if all.contains(&description) => {}
            Some((_, all)) => all.push(description),
        }
    }
    operands.iter().fold(String::new(), |mut text, (name, all)| {
        let note =
            NOTES.iter().find(|(operand, _)| operand == name).map_or(String::new(), |(_, note)| format!("; {note}"));
        let _ = writeln!(text, "- `{name}`: {}{note}", all.join("; or "));
        text
    })
}

//! The node kinds and fields that the typed views use, as the numbers that tree-sitter compares quickly.

use std::num::NonZeroU16;
use std::sync::LazyLock;
use tree_sitter::Language;

macro_rules! names {
    ($(#[$about:meta])* $struct:ident { $($name:ident $(= $text:literal)?),* $(,)? } $number:ty, $find:expr) => {
        $(#[$about])*
        pub(crate) struct $struct { $(pub(crate) $name: $number),* }
        impl $struct {
            fn new(language: &Language) -> Self {
                let find: fn(&Language, &str) -> $number = $find;
                $struct { $($name: find(language, names!(@text $name $($text)?))),* }
            }
        }
    };
    (@text $name:ident) => { stringify!($name) };
    (@text $name:ident $text:literal) => { $text };
}

names! {
    /// Kinds of named nodes.
    Kinds {
        function, block, basic_block, instruction, label, comment, parameters, parameter,
        version_directive, target_directive, address_size_directive, register_declaration, variable_declaration,
        opcode, modifier, guard, address, vector, element, predicate_pair, initialiser_list, loc_directive, argument_list,
        name, warp_size, integer, float, string, line_marker, version, r#type = "type", vector_size, section_data, sink,
        space, linkage, function_kind, section_name, section, section_body, file_directive, function_declaration,
        unknown_directive, misplaced_code, call_prototype, call_targets, branch_targets, pragma_directive, alias_directive, dwarf_directive,
    } u16, |language, name| language.id_for_node_kind(name, true)
}

names! {
    /// Fields.
    Fields {
        number, name, body, opcode, operand, guard, declarator, space, r#type = "type", vector, count, dimension, bits, alignment, bytes, size, pointer, returns, parameters,
    } NonZeroU16, |language, name| language.field_id_for_name(name).expect("a field of the grammar")
}

/// The kinds of the PTX grammar.
pub(crate) static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds::new(&grammar::LANGUAGE.into()));
/// The fields of the PTX grammar.
pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::new(&grammar::LANGUAGE.into()));

//! Text, trees and typed views of PTX sources.
//!
//! PTX, and SASS in [`sass`]. Which instructions exist is not known here.

mod call;
mod comments;
mod constant;
mod declaration;
mod demangle;
mod error;
mod fast_scanner;
pub mod guard;
mod header;
#[cfg(test)]
mod incremental;
mod instruction;
mod instructions_in_range;
mod item_head;
mod layout;
mod lexer;
mod line_info;
mod node_kinds;
mod operand;
mod parts;
mod pragmas;
mod reader;
pub mod region;
mod resolution;
pub mod sass;
mod scanned_function;
mod source;
mod tokens;
mod walk;

pub use crate::call::{CallOperands, FunctionType, Parameter};
pub use crate::comments::Comment;
pub use crate::constant::{
    ConstantError, ConstantType, InvalidConstant, Mistyped, OPERATOR_LEVELS, Overflow, constant_type, integer_value,
    invalid_constants,
};
pub use crate::declaration::{Declaration, DeclarationKind, LabelKind, ParameterKind, range_index};
pub use crate::demangle::{DemangledName, demangle, readable};
pub use crate::error::{BrokenStatement, Recovery, SyntaxError, syntax_errors};
pub use crate::header::Header;
pub use crate::instruction::{Instruction, InstructionOffsets, Opcode, opcode_before};
pub use crate::instructions_in_range::instructions;
pub use crate::item_head::{
    Declarator, DeclaredParameter, DeclaredType, FunctionBody, FunctionHead, HeadDirective, ItemHead, PointerAttribute,
    VariableHead,
};
pub use crate::layout::{InstructionTypeDeclaration, alignment, instruction_type, lanes, type_bits};
pub use crate::lexer::trivia::{blank_out, is_code};
pub use crate::lexer::{Number, NumberKind, byte_lines, decimal_or_hex, is_name_byte, is_name_char, is_word_char};
pub use crate::line_info::{LineDirective, SourceLocation, line_directives};
pub use crate::operand::{Address, Operand, OperandKind};
pub use crate::parts::InstructionPart;
pub use crate::pragmas::{Pragma, PragmaPlace, pragmas};
pub use crate::reader::{RopeReader, Token};
pub use crate::region::Region;
pub use crate::resolution::name_places::statements_with;
pub use crate::resolution::names::Names;
pub use crate::resolution::scopes::{DeclarationSite, ResolvedName, Scopes, Symbol};
pub use crate::scanned_function::{InstructionText, ScannedFunction};
pub use crate::source::{LintFile, Position, SourceFile, replace};
pub use crate::tokens::{ClassifiedToken, NodeKind, TokenClass, TokenEvent, token_events, tokens_in};
pub use crate::walk::{Item, WalkEvent, walk};
pub use grammar::{release_unused_memory, share_one_heap};
pub use ropey::{Rope, RopeSlice};

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
mod labels;
mod layout;
mod lexer;
mod line_info;
mod name_places;
mod names;
mod node_kinds;
mod operand;
mod outline;
mod parts;
mod pragmas;
mod reader;
pub mod region;
pub mod sass;
mod scanned_function;
mod scopes;
mod source;
mod tokens;
mod walk;

pub use call::{CallOperands, FunctionType, Parameter};
pub use comments::Comment;
pub use constant::{
    ConstantError, ConstantType, InvalidConstant, Mistyped, OPERATOR_LEVELS, Overflow, constant_type, integer_value,
    invalid_constants,
};
pub use declaration::{Declaration, DeclarationKind, LabelKind, ParameterKind, range_index};
pub use demangle::{DemangledName, demangle, readable};
pub use error::{BrokenStatement, Recovery, SyntaxError, syntax_errors};
pub use grammar::{release_unused_memory, share_one_heap};
pub use header::Header;
pub use instruction::{Instruction, InstructionOffsets, Opcode, opcode_before};
pub use instructions_in_range::instructions;
pub use item_head::{
    Declarator, DeclaredParameter, DeclaredType, FunctionBody, FunctionHead, HeadDirective, ItemHead, PointerAttribute,
    VariableHead,
};
pub use layout::{InstructionTypeDeclaration, alignment, instruction_type, lanes, type_bits};
pub use lexer::trivia::{blank_out, is_code};
pub use lexer::{Number, NumberKind, byte_lines, decimal_or_hex, is_name_byte, is_name_char, is_word_char};
pub use line_info::{LineDirective, SourceLocation, line_directives};
pub use name_places::statements_with;
pub use names::Names;
pub use operand::{Address, Operand, OperandKind};
pub use parts::InstructionPart;
pub use pragmas::{Pragma, PragmaPlace, pragmas};
pub use reader::{RopeReader, Token};
pub use region::Region;
pub use ropey::{Rope, RopeSlice};
pub use scanned_function::{InstructionText, ScannedFunction};
pub use scopes::{DeclarationSite, ResolvedName, Scopes, Symbol};
pub use source::{LintFile, Position, SourceFile, replace};
pub use tokens::{ClassifiedToken, NodeKind, TokenClass, TokenEvent, token_events, tokens_in};
pub use walk::{Item, WalkEvent, walk};

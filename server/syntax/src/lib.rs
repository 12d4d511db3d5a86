//! Text, trees and typed views of PTX sources.
//!
//! Knows the shape of PTX, and in [`sass`] that of SASS. Must not know which instructions exist or which combinations are legal; parsing never fails.

mod comments;
mod constant;
mod declaration;
mod error;
pub mod guard;
#[cfg(test)]
mod incremental;
mod instruction;
mod kinds;
mod lexeme;
mod lexer;
mod names;
mod operand;
mod outline;
mod reader;
pub mod region;
pub mod sass;
mod scopes;
mod source;
mod walk;
mod within;

pub use comments::Comment;
pub use constant::{
    ConstantError, ConstantType, InvalidConstant, Mistyped, Overflow, constant_type, invalid_constants,
};
pub use declaration::{Declaration, DeclarationKind};
pub use error::{BrokenStatement, Recovery, SyntaxError, syntax_errors};
pub use instruction::{Instruction, Opcode, opcode_before};
pub use lexeme::{Construct, Lexeme, LexemeKind, LexemeStep, lexemes, pieces};
pub use lexer::{Number, NumberKind, decimal_or_hex, is_name_char, is_word_char};
pub use names::Names;
pub use operand::{Address, Operand, OperandKind};
pub use reader::{RopeReader, Token};
pub use region::Region;
pub use ropey::{Rope, RopeSlice};
pub use scopes::{Declared, Meaning, Scopes, Symbol};
pub use source::{LintFile, Position, SourceFile, replace};
pub use walk::{Header, Item, WalkEvent, walk};
pub use within::instructions;

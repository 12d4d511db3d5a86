//! What the assembler rejects: forms of instructions, their operands, directives and declarations.
//!
//! Each check takes one statement or item and adds diagnostics. What a module-wide check needs of an item is its [`Summary`](summary::Summary).

mod comparison;
pub mod directives;
pub mod flag_facts;
pub mod instructions;
pub mod operands;
pub mod ordering;
pub mod summary;
mod undeclared_name;

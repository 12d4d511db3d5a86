//! The rows of `tables/`, read: families, their forms and their words.

pub(super) mod form;
pub(super) mod operand_syntax;
pub(super) mod row_syntax;
pub(super) mod rows;
pub(super) mod table;
pub(super) mod word_set;

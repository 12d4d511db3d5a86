//! The tables as text for people: hover, `explain` and the reference.

pub mod doc;
pub(super) mod form_doc;
mod fragment_doc;
pub mod glossary;
pub(super) mod narrowing;
pub(super) mod operand_doc;
pub mod reference;

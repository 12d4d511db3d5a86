//! The tables as their users see them: reasons, fixes, completion, text.

mod blame;
mod common;
mod completion;
mod rows;
mod text;
mod words;

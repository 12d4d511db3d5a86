//! Request handlers, one file each. They convert between the protocol and `ide`, and have no logic of their own.

pub mod apply_edit;
pub mod call_hierarchy;
pub mod code_action;
pub mod completion;
pub mod diagnostic;
pub mod document_highlight;
pub mod document_link;
pub mod document_symbol;
pub mod execution;
pub mod folding_range;
pub mod formatting;
pub mod goto;
pub mod hover;
pub mod inlay_hint;
pub mod rename;
pub mod selection_range;
pub mod semantic_tokens;
pub mod signature_help;
pub mod source_lines;
pub mod target;
pub mod workspace_diagnostic;
pub mod workspace_symbol;

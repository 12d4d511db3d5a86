//! The documents: open ones, their checks, and the files of the workspace.

pub(super) mod checked_document;
pub(super) mod document;
pub(super) mod document_snapshot;
pub(super) mod lent_documents;
pub(super) mod workspace_snapshot;

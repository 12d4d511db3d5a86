//! The client: what it can do, how it spells, and what is sent to it.

pub(super) mod client_features;
pub(super) mod client_uris;
pub(super) mod plain_text;
pub(super) mod progress;
pub(super) mod publisher;

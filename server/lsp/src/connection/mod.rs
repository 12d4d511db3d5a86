//! The connection with the client: bytes, messages, and what wraps each message.

pub(super) mod client_process;
pub mod framing;
pub(super) mod lifecycle;
pub(super) mod middleware;
pub(super) mod sanitize;
pub(super) mod surrogates;
pub(super) mod trace;
pub(super) mod transport;

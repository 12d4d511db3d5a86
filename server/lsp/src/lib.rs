//! The PTX language server: `textDocument/*` over standard input and output, in front of `ide` and `lints`.
//!
//! A message passes the transport, the [`middleware`]s ([`order`], [`trace`], [`lifecycle`], [`sanitize`]) and tower-lsp. A method of [`server`] posts it to the
//! [`event_queue`], or takes a [`document_snapshot`] from [`state`] and calls one of the [`handlers`]. The crate handles the protocol and knows no PTX.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod client;
mod configuration;
mod connection;
mod documents;
mod scheduling;
pub use connection::framing;
mod commands;
mod convert;
mod custom_requests;
mod handlers;
mod memory;
mod requests;
mod server;
mod server_capabilities;
mod single_text;
mod single_text_requests;
mod state;
mod typing;
mod uri;
mod workspace_requests;

use crate::client::publisher::Publisher;
use crate::connection::client_process::ClientProcess;
use crate::connection::lifecycle::{Lifecycle, Session};
use crate::connection::middleware::WithMiddleware;
use crate::connection::sanitize::Sanitizer;
use crate::connection::trace::TraceMiddleware;
use crate::scheduling::event_queue::{EventQueue, ServerEvent};
use crate::scheduling::order::Ordered;
use crate::scheduling::work::WorkerPool;
use crate::server::Server;
pub use crate::single_text::answer;
use crate::state::ServerState;
use diagnostics::Settings;
use std::io;
use std::process::ExitCode;
use tower_lsp::LspService;

/// Serves one client over standard input and output. `given` are the settings of the command line, which override the client's.
/// Returns success if the client sent `shutdown` before it disconnected.
///
/// # Errors
/// The runtime cannot start threads.
pub fn run_stdio(given: Settings) -> io::Result<ExitCode> {
    syntax::share_one_heap();
    Ok(if run(given, io::stdin(), io::stdout())? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// As [`run_stdio`], over any two streams; `true` if the client sent `shutdown`.
///
/// # Errors
/// The runtime cannot start threads.
pub fn run(
    given: Settings,
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> io::Result<bool> {
    #[cfg(not(target_family = "wasm"))]
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    #[cfg(target_family = "wasm")]
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let clean = runtime.block_on(serve(given, input, output));
    // A running check must not keep the process alive.
    runtime.shutdown_background();
    Ok(clean)
}

async fn serve(
    given: Settings,
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (event_queue, events) = EventQueue::new();
    let client_process = ClientProcess::default();
    let (last, mut started) = (event_queue.clone(), None);
    let (service, socket) = LspService::build(|client| {
        let publisher = started.insert(Publisher::start(client.clone()));
        let state = ServerState::new(given, event_queue.clone(), publisher.clone(), WorkerPool::new(cores / 2));
        std::thread::spawn(move || state.run(events));
        Server::new(client, event_queue, WorkerPool::new(cores), client_process.clone())
    })
    .custom_method("ptxAtomics/viewFileText", Server::view_file_text)
    .custom_method("ptxAtomics/executions", Server::executions)
    .custom_method("ptxAtomics/target", Server::target)
    .custom_method("ptxAtomics/cursor", Server::cursor)
    .finish();
    let session = Session::default();
    let service = WithMiddleware::new(Sanitizer, service);
    let service = WithMiddleware::new(Lifecycle::new(session.clone()), service);
    let service = WithMiddleware::new(TraceMiddleware::new(started), service);
    let service = WithMiddleware::new(Ordered, service);
    tokio::select! {
        _ = connection::transport::serve_streams(service, socket, input, output) => {}
        () = client_process.ended() => {}
    }
    last.post(ServerEvent::End);
    session.stopped()
}

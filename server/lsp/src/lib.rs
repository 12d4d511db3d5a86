//! The PTX language server: `textDocument/*` over standard input and output, in front of `ide` and `lints`.
//!
//! A message travels through transport, the [`layer`]s ([`order`], [`trace`], [`lifecycle`], [`lenient`]) and tower-lsp to a method of
//! [`server`], which posts it into the [`mailbox`] or takes a [`view`] out of [`state`] and gives it to one of the [`handlers`]. Knows the
//! protocol; must not know PTX.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod capabilities;
mod checked;
mod convert;
mod document;
mod features;
mod framing;
mod handlers;
mod layer;
mod lenient;
mod lifecycle;
mod mailbox;
mod order;
mod publish;
mod requests;
mod server;
mod settings;
mod state;
mod steps;
mod trace;
mod transport;
mod uri;
mod view;
mod work;
mod workspace;

use diagnostics::Settings;
use layer::Layered;
use lenient::Lenient;
use lifecycle::{Lifecycle, Session};
use mailbox::{Mailbox, ServerEvent};
use order::Ordered;
use publish::Publisher;
use server::Server;
use state::ServerState;
use std::io;
use std::process::ExitCode;
use tower_lsp::LspService;
use trace::TraceLayer;
use work::Workers;

/// Serves one client over standard input and output until it leaves. `given` are the settings of the command line; the client's own ones go before
/// them. Success means that the client asked for `shutdown` before it left.
///
/// # Errors
/// The system gives no threads.
pub fn run_stdio(given: Settings) -> io::Result<ExitCode> {
    Ok(if run(given, io::stdin(), io::stdout())? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same over any two streams; true means that the client asked for `shutdown` before it left.
///
/// # Errors
/// The system gives no threads.
pub fn run(
    given: Settings,
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    let clean = runtime.block_on(serve(given, input, output));
    // A check that is under way must not keep the process.
    runtime.shutdown_background();
    Ok(clean)
}

async fn serve(
    given: Settings,
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (mailbox, events) = Mailbox::new();
    let (last, mut told) = (mailbox.clone(), None);
    let (service, socket) = LspService::build(|client| {
        let publisher = told.insert(Publisher::start(client.clone()));
        let state = ServerState::new(given, mailbox.clone(), publisher.clone(), Workers::new(cores / 2));
        std::thread::spawn(move || state.run(events));
        Server::new(client, mailbox, Workers::new(cores))
    })
    .custom_method("ptxAtomics/viewFileText", Server::view_file_text)
    .custom_method("ptxAtomics/executions", Server::executions)
    .finish();
    let session = Session::default();
    let service = Layered::new(Lenient, service);
    let service = Layered::new(Lifecycle::new(session.clone()), service);
    let service = Layered::new(TraceLayer::new(told), service);
    let service = Layered::new(Ordered, service);
    transport::serve_streams(service, socket, input, output).await;
    last.post(ServerEvent::End);
    session.stopped()
}

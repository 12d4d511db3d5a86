//! Sends messages to the client, in order.

use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::ls_types as lsp;

/// A message to the client.
pub enum ClientMessage {
    /// Diagnostics of a document; without a version if it is closed.
    Diagnostics(String, Vec<lsp::Diagnostic>, Option<i32>),
    /// Asks the client to pull diagnostics again.
    RefreshDiagnostics,
    /// Asks the client to request inlay hints again.
    RefreshInlayHints,
    /// An error for the log.
    LogError(String),
    /// A line for the log.
    Log(String),
    /// A trace, with verbose details.
    Trace(String, Option<String>),
    /// A warning shown to the user.
    ShowWarning(String),
}

/// A queue of messages to the client. Posting never blocks.
#[derive(Clone)]
pub struct Publisher(mpsc::UnboundedSender<ClientMessage>);

impl Publisher {
    /// Starts sending. Must be called inside a tokio runtime.
    pub fn start(client: Client) -> Self {
        let (sender, mut messages) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                publish(&client, message).await;
            }
        });
        Publisher(sender)
    }

    /// Posts a message.
    pub fn post(&self, message: ClientMessage) {
        let _ = self.0.send(message);
    }
}

/// Sends a message to the client.
async fn publish(client: &Client, message: ClientMessage) {
    match message {
        ClientMessage::Diagnostics(uri, diagnostics, version) => {
            if let Ok(uri) = uri.parse() {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
        }
        // Do not wait for the client's empty answers.
        ClientMessage::RefreshDiagnostics => {
            let client = client.clone();
            tokio::spawn(async move { client.workspace_diagnostic_refresh().await });
        }
        ClientMessage::RefreshInlayHints => {
            let client = client.clone();
            tokio::spawn(async move { client.inlay_hint_refresh().await });
        }
        ClientMessage::Trace(message, verbose) => {
            client.send_notification::<lsp::notification::LogTrace>(lsp::LogTraceParams { message, verbose }).await;
        }
        ClientMessage::ShowWarning(what) => client.show_message(lsp::MessageType::WARNING, what).await,
        ClientMessage::Log(what) => client.log_message(lsp::MessageType::INFO, what).await,
        ClientMessage::LogError(what) => client.log_message(lsp::MessageType::ERROR, what).await,
    }
}

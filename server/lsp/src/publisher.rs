//! The way out to the client, in order.
//!
//! Must not know when something is published.

use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::ls_types as lsp;

/// Something to tell the client.
pub enum ClientMessage {
    /// The diagnostics of a document; without version if it is closed.
    Diagnostics(String, Vec<lsp::Diagnostic>, Option<i32>),
    /// Whoever asked for diagnostics should ask again.
    Refresh,
    /// Something that went wrong here.
    LogError(String),
    /// What was done, with details for who wants them.
    Trace(String, Option<String>),
    /// Something that the user should mend.
    ShowWarning(String),
}

/// The way out. Posting never waits for the client.
#[derive(Clone)]
pub struct Publisher(mpsc::UnboundedSender<ClientMessage>);

impl Publisher {
    /// Starts to tell a client, one message after the other. Has to be called inside a runtime.
    pub fn start(client: Client) -> Self {
        let (sender, mut messages) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                tell(&client, message).await;
            }
        });
        Publisher(sender)
    }

    /// Posts a message.
    pub fn post(&self, message: ClientMessage) {
        let _ = self.0.send(message);
    }
}

async fn tell(client: &Client, message: ClientMessage) {
    match message {
        ClientMessage::Diagnostics(uri, diagnostics, version) => {
            if let Ok(uri) = uri.parse() {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
        }
        ClientMessage::Refresh => {
            // The client's answer says nothing, and waiting for it would hold up what comes after.
            let client = client.clone();
            tokio::spawn(async move { client.workspace_diagnostic_refresh().await });
        }
        ClientMessage::Trace(message, verbose) => {
            client.send_notification::<lsp::notification::LogTrace>(lsp::LogTraceParams { message, verbose }).await;
        }
        ClientMessage::ShowWarning(what) => client.show_message(lsp::MessageType::WARNING, what).await,
        ClientMessage::LogError(what) => client.log_message(lsp::MessageType::ERROR, what).await,
    }
}

//! Progress notifications of long work.

use tower_lsp::ls_types as lsp;
use tower_lsp::{Bounded, Client, NotCancellable, OngoingProgress};

/// Progress of work with a known number of steps.
pub struct Progress {
    shown: Option<OngoingProgress<Bounded, NotCancellable>>,
    done: usize,
    total: usize,
    reported: u32,
}

impl Progress {
    /// Begins progress, if the client sent a token for it.
    pub async fn new(client: &Client, params: lsp::WorkDoneProgressParams, title: &str, total: usize) -> Self {
        let shown = match params.work_done_token {
            Some(token) => Some(client.progress(token, title).with_percentage(0).begin().await),
            None => None,
        };
        Progress { shown, done: 0, total, reported: 0 }
    }

    /// Counts one step. Reports once per percent.
    pub async fn step(&mut self) {
        self.done += 1;
        let percent = u32::try_from(self.done * 100 / self.total.max(1)).unwrap_or(100);
        if let Some(shown) = self.shown.as_ref().filter(|_| percent > self.reported) {
            shown.report_with_message(format!("{} of {}", self.done, self.total), percent).await;
        }
        self.reported = self.reported.max(percent);
    }

    /// Ends the progress.
    pub async fn finish(self) {
        if let Some(shown) = self.shown {
            shown.finish().await;
        }
    }
}

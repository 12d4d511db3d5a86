//! How far long work is, told to a client that wants to know.
//!
//! Must not know what the work is.

use tower_lsp::ls_types as lsp;
use tower_lsp::{Bounded, Client, NotCancellable, OngoingProgress};

/// Work of a known number of steps.
pub struct Progress {
    shown: Option<OngoingProgress<Bounded, NotCancellable>>,
    done: usize,
    all: usize,
    told: u32,
}

impl Progress {
    /// Begins to tell a client that gave a token for it; others hear nothing.
    pub async fn new(client: &Client, asked: lsp::WorkDoneProgressParams, title: &str, all: usize) -> Self {
        let shown = match asked.work_done_token {
            Some(token) => Some(client.progress(token, title).with_percentage(0).begin().await),
            None => None,
        };
        Progress { shown, done: 0, all, told: 0 }
    }

    /// One step more is done. Says so once for each percent.
    pub async fn step(&mut self) {
        self.done += 1;
        let percent = u32::try_from(self.done * 100 / self.all.max(1)).unwrap_or(100);
        if let Some(shown) = self.shown.as_ref().filter(|_| percent > self.told) {
            shown.report_with_message(format!("{} of {}", self.done, self.all), percent).await;
        }
        self.told = self.told.max(percent);
    }

    /// Ends it.
    pub async fn finish(self) {
        if let Some(shown) = self.shown {
            shown.finish().await;
        }
    }
}

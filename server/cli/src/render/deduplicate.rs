//! Orders diagnostics for text output: files with errors first, and equal diagnostics of several files once.

use std::collections::HashMap;

/// Number of other files that are named.
const NAMED: usize = 3;

/// A rendered diagnostic to be printed.
struct PendingDiagnostic {
    text: String,
    /// Index of its file.
    file: usize,
    others: Vec<String>,
}

/// The diagnostics of a run, in the order of their files.
pub struct DeduplicatedDiagnostics {
    /// Maximum number to print.
    most: usize,
    shown: Vec<PendingDiagnostic>,
    /// Index into `shown`, by fingerprint and message.
    known: HashMap<(String, String), usize>,
    /// For each file, whether it has an error.
    errors: Vec<bool>,
    /// Number of pending diagnostics in files without errors, and with errors.
    waiting: [usize; 2],
}

impl DeduplicatedDiagnostics {
    /// No diagnostics yet, and a maximum number to print.
    pub fn new(most: usize) -> Self {
        DeduplicatedDiagnostics { most, shown: Vec::new(), known: HashMap::new(), errors: Vec::new(), waiting: [0; 2] }
    }

    /// Begins a file.
    pub fn file(&mut self, has_error: bool) {
        self.errors.push(has_error);
    }

    /// Adds a diagnostic of the current file. One that an earlier file has too is not rendered again.
    pub fn add(&mut self, path: &str, fingerprint: &str, message: &str, render: impl FnOnce() -> String) {
        let key = (fingerprint.to_owned(), message.to_owned());
        if let Some(&at) = self.known.get(&key) {
            self.shown[at].others.push(path.to_owned());
            return;
        }
        let file = self.errors.len() - 1;
        let waiting = &mut self.waiting[usize::from(self.errors[file])];
        // Do not render what cannot be printed any more.
        if *waiting < self.most {
            *waiting += 1;
            self.known.insert(key, self.shown.len());
            self.shown.push(PendingDiagnostic { text: render(), file, others: Vec::new() });
        }
    }

    /// The texts to print.
    pub fn texts(&mut self) -> impl Iterator<Item = String> {
        let mut shown = std::mem::take(&mut self.shown);
        shown.sort_by_key(|shown| !self.errors[shown.file]);
        shown.into_iter().take(self.most).map(|shown| shown.text + &elsewhere(&shown.others))
    }
}

fn elsewhere(others: &[String]) -> String {
    let count = match others.len() {
        0 => return String::new(),
        1 => "1 other file".to_owned(),
        n => format!("{n} other files"),
    };
    let rest = if others.len() > NAMED { ", …" } else { "" };
    format!("\n  and in {count}: {}{rest}", others[..others.len().min(NAMED)].join(", "))
}

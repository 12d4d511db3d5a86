//! What text output shows of very many findings: files with errors first, and a finding of several copies of a text once.

use std::collections::HashMap;

/// Of so many further files the names are shown.
const NAMED: usize = 3;

/// A finding that waits to be printed.
struct PendingDiagnostic {
    text: String,
    /// Which of the files it is in.
    file: usize,
    others: Vec<String>,
}

/// DeduplicatedDiagnostics of one run, in the order of their files.
pub struct DeduplicatedDiagnostics {
    /// How many are printed at most.
    most: usize,
    shown: Vec<PendingDiagnostic>,
    /// Where a finding stands, by its fingerprint and its message.
    known: HashMap<(String, String), usize>,
    /// Whether each of the files has an error.
    errors: Vec<bool>,
    /// How many wait in files without errors, and in those with some.
    waiting: [usize; 2],
}

impl DeduplicatedDiagnostics {
    /// None yet, and at most so many to be printed.
    pub fn new(most: usize) -> Self {
        DeduplicatedDiagnostics { most, shown: Vec::new(), known: HashMap::new(), errors: Vec::new(), waiting: [0; 2] }
    }

    /// Begins another file.
    pub fn file(&mut self, has_error: bool) {
        self.errors.push(has_error);
    }

    /// Takes up a finding of the file that was begun; one that another file has too is not rendered again.
    pub fn add(&mut self, path: &str, fingerprint: &str, message: &str, render: impl FnOnce() -> String) {
        let key = (fingerprint.to_owned(), message.to_owned());
        if let Some(&at) = self.known.get(&key) {
            self.shown[at].others.push(path.to_owned());
            return;
        }
        let file = self.errors.len() - 1;
        let waiting = &mut self.waiting[usize::from(self.errors[file])];
        // What can no longer come to be printed is not rendered.
        if *waiting < self.most {
            *waiting += 1;
            self.known.insert(key, self.shown.len());
            self.shown.push(PendingDiagnostic { text: render(), file, others: Vec::new() });
        }
    }

    /// What is to be printed.
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

//! The counts of a run: what was checked, and what was not.

use crate::output::inline;
use hosts::inline_asm::UnknownText;
use lints::Coverage;
use project::SkippedFiles;

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Counts of statements and instructions.
    pub coverage: Coverage,
    /// Files that were read.
    pub files: usize,
    /// Files with `asm` statements.
    pub files_with_statements: usize,
    /// Files in searched folders that were skipped.
    pub skipped: SkippedFiles,
    /// Files without a change since the base of `--diff`, which were not checked.
    pub unchanged: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Statements that were not read, by reason and file.
    pub unread: Vec<UnreadInFile>,
}

/// Statements of a file that were not read for a reason.
#[derive(Clone, Debug)]
pub struct UnreadInFile {
    /// The file.
    pub file: String,
    /// Why.
    pub reason: UnknownText,
    /// How many.
    pub count: usize,
}

/// The maximum number of files that are named for a reason.
const MOST_NAMED: usize = 3;

impl RunSummary {
    /// Adds a file.
    pub fn add(&mut self, file: &str, coverage: Coverage) {
        for reason in UnknownText::ALL {
            let count = coverage.unread.count(reason);
            if count > 0 {
                self.unread.push(UnreadInFile { file: file.to_owned(), reason, count });
            }
        }
        self.files += 1;
        self.files_with_statements += usize::from(coverage.statements > 0);
        self.coverage += coverage;
    }

    /// The lines of the summary; empty if there is nothing to report.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        let parts = self.looked_at();
        if !parts.is_empty() {
            text += &format!("{}\n", parts.join("; "));
        }
        let parts = self.not_read();
        if !parts.is_empty() {
            text += &format!("skipped: {}\n", parts.join(", "));
        }
        for reason in UnknownText::ALL {
            text += &self.unread_for(reason);
        }
        text
    }

    fn looked_at(&self) -> Vec<String> {
        let Coverage { statements, checked, unchecked, .. } = self.coverage;
        let all = self.files + self.skipped.count() + self.unchanged + self.unreadable;
        let mut parts = Vec::new();
        if statements > 0 {
            let with = grouped(self.files_with_statements);
            parts.push(format!("{} in {with} of {}", counted(statements, "asm statement"), counted(all, "file")));
        }
        if checked + unchecked > 0 {
            parts.push(format!("{} checked", counted(checked, "instruction")));
        }
        if unchecked > 0 {
            parts.push(format!("{} not checked, see `ptx-atomics explain coverage`", grouped(unchecked)));
        }
        parts
    }

    /// The line about statements that were not read for a reason; empty without any.
    fn unread_for(&self, reason: UnknownText) -> String {
        let files: Vec<&UnreadInFile> = self.unread.iter().filter(|unread| unread.reason == reason).collect();
        if files.is_empty() {
            return String::new();
        }
        let count = files.iter().map(|unread| unread.count).sum();
        let named = files.iter().take(MOST_NAMED).map(|unread| format!("{} ({})", inline(&unread.file), unread.count));
        let mut named: Vec<String> = named.collect();
        if files.len() > MOST_NAMED {
            named.push(counted(files.len() - MOST_NAMED, "more file"));
        }
        format!("not read: {} {}: {}\n", counted(count, "asm statement"), reason.description(), named.join(", "))
    }

    fn not_read(&self) -> Vec<String> {
        let SkippedFiles { other_languages, without_code, excluded, links, vendored } = self.skipped;
        let reasons = [
            (other_languages, "file", "in other languages"),
            (without_code, "file", "with no PTX or SASS in the first 64 KiB"),
            (excluded, "file", "excluded by the settings"),
            (vendored, "vendored file", "(--include-vendored checks them)"),
            (links, "link", "out of the folder"),
            (self.unchanged, "file", "unchanged since the base"),
            (self.unreadable, "file", "unreadable"),
        ];
        let some = reasons.into_iter().filter(|(count, ..)| *count > 0);
        some.map(|(count, noun, reason)| format!("{} {reason}", counted(count, noun))).collect()
    }
}

/// A number with its noun, in the singular or plural.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A number with commas between thousands.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(super::grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}

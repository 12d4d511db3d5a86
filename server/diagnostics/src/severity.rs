//! How bad a diagnostic is.

/// How bad a diagnostic is. An error is what the assembler rejects, no more and no less; beside that, only an expectation
/// that the text itself states and that does not hold (the value of an evaluation, the outcome of a litmus test).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The assembler's check rejects it, or an expectation in the text is false.
    Error,
    /// The assembler accepts it, but it is a mistake.
    Warning,
    /// Worth knowing.
    Info,
    /// A matter of taste.
    Hint,
}

impl Severity {
    /// The word for it in reports: `error`, `warning`, `info`, `hint`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}

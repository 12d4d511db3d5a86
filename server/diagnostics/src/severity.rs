//! Severities of diagnostics.

/// The severity of a diagnostic. An error is exactly what the assembler rejects, or an expectation in the text
/// that is wrong (the value of an evaluation, the outcome of a litmus test).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The assembler rejects it, or an expectation in the text is wrong.
    Error,
    /// The assembler accepts it, but it is likely a bug.
    Warning,
    /// Information, for example about performance.
    Info,
    /// Style.
    Hint,
}

impl Severity {
    /// Its name in reports: `error`, `warning`, `info`, `hint`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}

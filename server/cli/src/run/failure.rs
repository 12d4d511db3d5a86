//! Why a launch cannot be prepared, with what to write.

use evaluation::kernel::argument_error::ArgumentError;
use evaluation::kernel::launch::LaunchFailure;
use syntax::LintFile;

/// The most arguments that a message asks for.
const MAX_EXAMPLES: usize = 32;

/// Where the arguments of a launch are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ArgumentOption {
    /// Each after `--arg`.
    Own,
    /// In the text of `--beside`.
    Beside,
    /// In the text of `--then`.
    Then,
}

/// Why a kernel cannot be launched. `again` prepares the launch with some more arguments, for those that are also missing.
pub fn failure_message(
    failure: LaunchFailure,
    (name, file): (&str, &LintFile),
    option: ArgumentOption,
    again: impl FnMut(&[String]) -> Option<LaunchFailure>,
) -> String {
    match failure {
        LaunchFailure::Sizes(message) => message,
        LaunchFailure::Arguments(ArgumentError { message, example: None }) => message,
        LaunchFailure::Arguments(ArgumentError { message, example: Some(example) }) => {
            let examples: Vec<String> = missing(example, again).iter().map(|one| option.written(one)).collect();
            let place = if option == ArgumentOption::Beside { " to the launch after `--beside`" } else { "" };
            format!("{message}: add {}{place}", examples.join(" "))
        }
        LaunchFailure::Kernel(error) => {
            let place = file.position(error.range.start);
            format!("{name}:{}:{}: {}", place.line + 1, place.column + 1, error.message)
        }
    }
}

impl ArgumentOption {
    fn written(self, example: &str) -> String {
        match self {
            Self::Own if example.contains(['[', '(']) => format!("--arg '{example}'"),
            Self::Own => format!("--arg {example}"),
            Self::Beside | Self::Then => example.to_owned(),
        }
    }
}

/// All missing arguments: each failure names one.
fn missing(first: String, mut again: impl FnMut(&[String]) -> Option<LaunchFailure>) -> Vec<String> {
    let mut all = vec![first];
    while all.len() < MAX_EXAMPLES
        && let Some(LaunchFailure::Arguments(ArgumentError { example: Some(next), .. })) = again(&all)
        && !all.contains(&next)
    {
        all.push(next);
    }
    all
}

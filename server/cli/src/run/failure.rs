//! Why a launch cannot be prepared, with what to write.

use kernel::arguments::argument_error::ArgumentError;
use kernel::arguments::launch::LaunchFailure;
use syntax::LintFile;

/// Where the arguments of a launch are written.
#[derive(Clone, Copy)]
pub enum ArgumentOption {
    /// Each after `--arg`.
    Own,
    /// In the text of `--then`.
    Then,
}

/// Why a kernel cannot be launched.
pub fn failure_message(failure: LaunchFailure, (name, file): (&str, &LintFile), option: ArgumentOption) -> String {
    match failure {
        LaunchFailure::Sizes(message) => message,
        LaunchFailure::Arguments(ArgumentError { message, missing })
        | LaunchFailure::BesideArguments(ArgumentError { message, missing })
            if missing.is_empty() =>
        {
            message
        }
        LaunchFailure::Arguments(ArgumentError { message, missing }) => {
            let written: Vec<String> = missing.iter().map(|one| option.written(one)).collect();
            format!("{message}: add {}", written.join(" "))
        }
        LaunchFailure::BesideArguments(ArgumentError { message, missing }) => {
            format!("{message}: add {} to the launch after `--beside`", missing.join(" "))
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
            Self::Then => example.to_owned(),
        }
    }
}

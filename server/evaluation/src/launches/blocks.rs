//! The launches in the comments of a module: a line `run` or `check`, and the lines `arg` and `expect` behind it.

use super::keyword::LaunchKeyword;
use super::statement::{LaunchLineError, WrittenExpectation, keyword, read_argument, read_expectation, read_launch};
use crate::kernel::launch::KernelLaunch;
use crate::litmus::comments::lines;
use std::ops::Range;

/// What is done with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchPurpose {
    /// One execution is run.
    Run,
    /// Every execution is checked.
    Check,
}

/// A launch in comments.
#[derive(Clone, Debug)]
pub struct WrittenLaunch {
    /// What is done with it.
    pub purpose: LaunchPurpose,
    /// The range of its first line.
    pub range: Range<usize>,
    /// The range of the kernel's name.
    pub name: Range<usize>,
    /// The launch.
    pub launch: KernelLaunch,
    /// What is expected afterwards.
    pub expected: Vec<WrittenExpectation>,
    /// The end of the last argument.
    pub arguments_end: usize,
}

/// The launches of a module that could be read, and the mistakes in the lines of the others.
pub fn written_launches(text: &str) -> (Vec<WrittenLaunch>, Vec<LaunchLineError>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    // `None` at first, and after a line with a mistake, whose launch is dropped.
    let mut open: Option<WrittenLaunch> = None;
    let mut is_dropped = false;
    for line in lines(text) {
        let Some(keyword) = keyword(text, &line) else {
            all.extend(open.take());
            is_dropped = false;
            continue;
        };
        let result = match keyword {
            LaunchKeyword::Run | LaunchKeyword::Check => {
                all.extend(open.take());
                is_dropped = false;
                let purpose = if keyword == LaunchKeyword::Run { LaunchPurpose::Run } else { LaunchPurpose::Check };
                begin(text, line, purpose).map(|launch| open = Some(launch))
            }
            _ if is_dropped => continue,
            _ => match &mut open {
                Some(launch) => launch.add(text, line, keyword),
                None => Err(LaunchLineError::new(
                    line,
                    "no launch above",
                    "write `run kernel grid 1 block 32` before its arguments and expectations",
                )),
            },
        };
        if let Err(error) = result {
            errors.push(error);
            (open, is_dropped) = (None, true);
        }
    }
    all.extend(open);
    (all, errors)
}

fn begin(text: &str, line: Range<usize>, purpose: LaunchPurpose) -> Result<WrittenLaunch, LaunchLineError> {
    let (launch, name) = read_launch(text, line.clone())?;
    Ok(WrittenLaunch { purpose, name, launch, expected: Vec::new(), arguments_end: line.end, range: line })
}

impl WrittenLaunch {
    fn add(&mut self, text: &str, line: Range<usize>, keyword: LaunchKeyword) -> Result<(), LaunchLineError> {
        if keyword == LaunchKeyword::Expect {
            self.expected.push(read_expectation(text, line)?);
        } else {
            self.arguments_end = line.end;
            self.launch.arguments.push(read_argument(text, line)?);
        }
        Ok(())
    }
}

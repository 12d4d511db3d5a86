//! The launches in the comments of a module: a line `run` or `check`, and the lines with arguments and claims after it.

use super::keyword::{LaunchKeyword, launch_lines};
use super::statement::{LaunchLineError, WrittenClaim, read_argument, read_condition, read_expectation, read_launch};
use crate::kernel::condition::ConditionKind;
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
    /// The launches that run after it, one after another.
    pub following: Vec<FollowingLaunch>,
    /// What is claimed about memory afterwards.
    pub claims: Vec<WrittenClaim>,
    /// The end of the last argument.
    pub arguments_end: usize,
}

/// A launch in comments that runs after another one.
#[derive(Clone, Debug)]
pub struct FollowingLaunch {
    /// The range of its line.
    pub range: Range<usize>,
    /// The range of the kernel's name.
    pub name: Range<usize>,
    /// The launch.
    pub launch: KernelLaunch,
}

/// The launches of a module that could be read, and the mistakes in the lines of the others.
pub fn written_launches(text: &str) -> (Vec<WrittenLaunch>, Vec<LaunchLineError>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    // `None` at first, and after a line with a mistake, whose launch is dropped.
    let mut open: Option<WrittenLaunch> = None;
    let mut is_dropped = false;
    let launches = launch_lines(text);
    for line in lines(text) {
        let found = launches.binary_search_by_key(&line.start, |(launch, _)| launch.start);
        let Ok(keyword) = found.map(|at| launches[at].1) else {
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
                    "write `run kernel grid 1 block 32` before its arguments and claims",
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
    Ok(WrittenLaunch {
        purpose,
        name,
        launch,
        following: Vec::new(),
        claims: Vec::new(),
        arguments_end: line.end,
        range: line,
    })
}

impl WrittenLaunch {
    fn add(&mut self, text: &str, line: Range<usize>, keyword: LaunchKeyword) -> Result<(), LaunchLineError> {
        match keyword {
            LaunchKeyword::Expect => self.claims.push(read_expectation(text, line)?),
            LaunchKeyword::Require => self.claims.push(read_condition(text, line, ConditionKind::Require)?),
            LaunchKeyword::Forbid => self.claims.push(read_condition(text, line, ConditionKind::Forbid)?),
            LaunchKeyword::Beside if !self.following.is_empty() => {
                let help = "write it above the first `then`: one kernel runs after another one there";
                return Err(LaunchLineError::new(line, "`beside` is about the first kernel", help));
            }
            LaunchKeyword::Then => {
                let (launch, name) = read_launch(text, line.clone())?;
                self.following.push(FollowingLaunch { range: line, name, launch });
            }
            LaunchKeyword::Beside => self.launch.beside.push(read_launch(text, line)?.0),
            LaunchKeyword::Argument | LaunchKeyword::Run | LaunchKeyword::Check => {
                self.arguments_end = line.end;
                let KernelLaunch { arguments, beside, .. } = &mut self.launch;
                let last = beside.last_mut().map_or(arguments, |last| &mut last.arguments);
                let last = self.following.last_mut().map_or(last, |last| &mut last.launch.arguments);
                last.push(read_argument(text, line)?);
            }
        }
        Ok(())
    }
}

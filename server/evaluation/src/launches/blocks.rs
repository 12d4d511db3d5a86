//! The launches in the comments of a module: a line `run` or `check`, and the lines with arguments and claims after it.

use crate::launches::statement::{
    LaunchLineError, WrittenClaim, launches_of_line, read_argument, read_condition, read_expectation, read_launch,
};
use kernel::arguments::launch::KernelLaunch;
use kernel::claims::condition::ConditionKind;
use litmus::comments::lines;
use litmus::keyword::{LaunchKeyword, launch_lines};
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
                WrittenLaunch::read(text, line, purpose).map(|launch| open = Some(launch))
            }
            _ if is_dropped => continue,
            _ => match &mut open {
                Some(launch) => launch.add_line(text, line, keyword),
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

impl WrittenLaunch {
    /// Reads a line with the keyword `run` or `check`, and the launches beside and after it in the same line.
    ///
    /// # Errors
    /// The mistake of a launch.
    pub fn read(text: &str, line: Range<usize>, purpose: LaunchPurpose) -> Result<Self, LaunchLineError> {
        let mut parts = launches_of_line(text, line.clone()).into_iter();
        let range = parts.next().unwrap_or(line);
        let (launch, name) = read_launch(text, range.clone())?;
        let arguments_end = range.end;
        let (following, claims) = (Vec::new(), Vec::new());
        let mut written = Self { purpose, range, name, launch, following, claims, arguments_end };
        parts.try_for_each(|part| written.add_part(text, part))?;
        Ok(written)
    }

    /// The same launch at another place, such as that of the kernel's name.
    pub fn placed_at(mut self, range: &Range<usize>) -> Self {
        let ranges = self.following.iter_mut().flat_map(|one| [&mut one.range, &mut one.name]);
        ranges.chain([&mut self.range, &mut self.name]).for_each(|place| place.clone_from(range));
        self.arguments_end = range.end;
        self
    }

    fn add_line(&mut self, text: &str, line: Range<usize>, keyword: LaunchKeyword) -> Result<(), LaunchLineError> {
        match keyword {
            LaunchKeyword::Beside | LaunchKeyword::Then => {
                launches_of_line(text, line).into_iter().try_for_each(|part| self.add_part(text, part))
            }
            _ => self.add(text, line, keyword),
        }
    }

    fn add_part(&mut self, text: &str, part: Range<usize>) -> Result<(), LaunchLineError> {
        let keyword = LaunchKeyword::of(&text[part.clone()]).unwrap_or(LaunchKeyword::Then);
        self.arguments_end = part.end;
        self.add(text, part, keyword)
    }

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

//! The keywords of launches in comments, and the lines that begin with them.

use crate::comments::lines;
use std::ops::Range;

/// The keyword of a kernel that runs at the same time as another one.
pub const BESIDE: &str = "beside";

/// The keyword of a kernel that runs after another one.
pub const THEN: &str = "then";

/// The keyword that a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchKeyword {
    /// Runs a kernel.
    Run,
    /// Checks every execution of a launch.
    Check,
    /// A kernel that runs at the same time as the launch above.
    Beside,
    /// A kernel that runs after the launch above.
    Then,
    /// An argument of the launch above.
    Argument,
    /// Values that memory has after the launch above.
    Expect,
    /// A condition that holds after the launch above.
    Require,
    /// A condition that does not hold after the launch above.
    Forbid,
}

impl LaunchKeyword {
    /// All keywords, as they are written, with a summary.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Run, "run", "Runs a kernel: `run k grid 2 block 32 n=u32=5 out=u32[64]`"),
        (Self::Check, "check", "Checks every execution of a launch: `check k grid 2 block 2 out=u32[4]`"),
        (
            Self::Beside,
            BESIDE,
            "A kernel that runs at the same time as the launch above, on the device or the host: `beside k host flag=flag`",
        ),
        (
            Self::Then,
            THEN,
            "A kernel that runs after the launch above, on the memory that it leaves: `then scale grid 2 block 2 in=out`; with `programmatic` after the name it may begin before that one has ended",
        ),
        (Self::Argument, "arg", "An argument of the launch above: `arg in=u32[4]=1,2,3,4`"),
        (Self::Expect, "expect", "Values of a buffer or variable after the launch above: `expect out[3] == 7`"),
        (Self::Require, "require", "A condition on memory after the launch above: `require out[0] < out[1]`"),
        (
            Self::Forbid,
            "forbid",
            "A condition that memory never meets after the launch above: `forbid out[0] == 0 && out[1] == 0`",
        ),
    ];

    /// Whether a kernel and its options follow.
    pub const fn launches(self) -> bool {
        matches!(self, Self::Run | Self::Check | Self::Beside | Self::Then)
    }

    /// The keyword of a line.
    pub fn of(line: &str) -> Option<Self> {
        let word = line.split(char::is_whitespace).next().unwrap_or_default();
        Self::ALL.iter().find(|(_, spelling, _)| *spelling == word).map(|(keyword, ..)| *keyword)
    }
}

/// The lines of comments that are parts of launches. `forbid` also begins claims of litmus tests: it belongs to a launch whose last line is directly
/// above it.
pub fn launch_lines(text: &str) -> Vec<(Range<usize>, LaunchKeyword)> {
    let mut found: Vec<(Range<usize>, LaunchKeyword)> = Vec::new();
    for line in lines(text) {
        let Some(keyword) = LaunchKeyword::of(&text[line.clone()]) else { continue };
        let is_below = || {
            let above = found.last().map(|(above, _)| above.end..line.start);
            above.is_some_and(|between| text[between].matches('\n').count() == 1)
        };
        if keyword != LaunchKeyword::Forbid || is_below() {
            found.push((line, keyword));
        }
    }
    found
}

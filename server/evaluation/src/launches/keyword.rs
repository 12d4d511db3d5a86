//! The keywords of launches in comments.

/// The keyword that a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchKeyword {
    /// Runs a kernel.
    Run,
    /// Checks every execution of a launch.
    Check,
    /// An argument of the launch above.
    Argument,
    /// Values that memory has after the launch above.
    Expect,
}

impl LaunchKeyword {
    /// All keywords, as they are written, with a summary.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Run, "run", "Runs a kernel: `run k grid 2 block 32 n=u32=5 out=u32[64]`"),
        (Self::Check, "check", "Checks every execution of a launch: `check k grid 2 block 2 out=u32[4]`"),
        (Self::Argument, "arg", "An argument of the launch above: `arg in=u32[4]=1,2,3,4`"),
        (Self::Expect, "expect", "Values of a buffer or variable after the launch above: `expect out[3] == 7`"),
    ];

    /// The keyword of a line.
    pub fn of(line: &str) -> Option<Self> {
        let word = line.split(char::is_whitespace).next().unwrap_or_default();
        Self::ALL.iter().find(|(_, spelling, _)| *spelling == word).map(|(keyword, ..)| *keyword)
    }
}

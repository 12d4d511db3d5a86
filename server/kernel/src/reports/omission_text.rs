//! What a search left out, in words: worded once, for the command line and for launches in comments.

use explorer::{BufferingReason, Omission};

/// The bounds that a search may have reached, as numbers that are written.
pub struct OmissionBounds {
    /// Of states, such as `4,000 states`.
    pub states: String,
    /// Of instructions of an execution.
    pub instructions: String,
}

/// What an instruction has to do with what was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionPlace {
    /// Most states are at it: a bound on states was reached, or one that grows with it.
    MostStates,
    /// An execution ends at it.
    End,
    /// It is in the loop.
    Loop,
    /// It is the read.
    Read,
    /// No execution executes it.
    NotExecuted,
    /// It is where something is left out.
    Here,
}

impl OmissionPlace {
    /// As a label at the instruction.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MostStates => "most states are here",
            Self::End => "an execution ends here",
            Self::Loop => "in this loop",
            Self::Read => "this read",
            Self::NotExecuted => "not executed",
            Self::Here => "here",
        }
    }
}

/// Why a verdict is not about all executions.
pub struct OmissionText {
    /// What was left out, or reached.
    pub why: String,
    /// What its instructions have to do with it.
    pub place: OmissionPlace,
    /// What to change in the launch or the kernel, if something helps.
    pub change: &'static str,
    /// The option of `check` that explores more, if there is one.
    pub option: Option<&'static str>,
}

impl OmissionText {
    /// The words for what was left out.
    pub fn of(omission: Omission, bounds: &OmissionBounds) -> Self {
        let OmissionBounds { states, instructions } = bounds;
        let (why, place, change, option): (String, _, _, _) = match omission {
            Omission::AfterProblem => {
                ("other executions were left out".to_owned(), OmissionPlace::Here, "fix these problems first", None)
            }
            Omission::States => {
                (format!("the bound of {states} was reached"), OmissionPlace::MostStates, "check a smaller launch", Some("--max-states"))
            }
            Omission::Cancelled => {
                ("the time of --seconds has passed".to_owned(), OmissionPlace::MostStates, "check a smaller launch", Some("--seconds"))
            }
            Omission::Choices => (
                "an access has more combinations of values than the bound on states allows".to_owned(),
                OmissionPlace::MostStates,
                "check a smaller launch",
                Some("--max-states"),
            ),
            Omission::Memories => (
                "a kernel leaves more different memories to the next one than the bound on states allows".to_owned(),
                OmissionPlace::MostStates,
                "check a smaller launch",
                Some("--max-states"),
            ),
            Omission::Writes => (
                format!(
                    "the bound on writes that others may still read was reached, which grows with that of {states}"
                ),
                OmissionPlace::MostStates,
                "check a smaller launch",
                Some("--max-states"),
            ),
            Omission::Instructions => (
                format!("the bound of {instructions} was reached"),
                OmissionPlace::End,
                "check a smaller launch",
                Some("--max-instructions"),
            ),
            Omission::Waits => (
                "loops that wait and count may not end".to_owned(),
                OmissionPlace::Loop,
                "bound the rounds of the loop",
                Some("--wait-rounds"),
            ),
            Omission::WaitRounds => (
                "of loops that wait and count, or read a clock, only the first rounds were explored".to_owned(),
                OmissionPlace::Loop,
                "bound the rounds of the loop",
                Some("--wait-rounds"),
            ),
            Omission::ReadSequences => (
                "of values that threads write again and again, not all sequences that others may read were explored"
                    .to_owned(),
                OmissionPlace::Here,
                "check a smaller launch",
                Some("--max-states"),
            ),
            Omission::LaneGroups => (
                "of groups of lanes that may execute `activemask` together, only some were explored".to_owned(),
                OmissionPlace::Here,
                "",
                None,
            ),
            Omission::Allocations => (
                "of allocations, uses and frees of tensor memory by several warps that nothing orders, one order was explored"
                    .to_owned(),
                OmissionPlace::Here,
                "synchronize them",
                None,
            ),
            Omission::Warpgroups => (
                "warps of a warpgroup wait for products of others that do not multiply with them, and one order was explored"
                    .to_owned(),
                OmissionPlace::Here,
                "execute `wgmma` in all four warps",
                None,
            ),
            Omission::Overlap => (
                "of strong accesses of kernels that overlap, one order was explored".to_owned(),
                OmissionPlace::Here,
                "wait before them, by `griddepcontrol.wait`",
                None,
            ),
            Omission::NoAccess => (
                "the kernel accesses memory, and no execution of this launch does".to_owned(),
                OmissionPlace::NotExecuted,
                "change the arguments or sizes so that threads reach an access",
                None,
            ),
            Omission::BufferedExecutions => (BUFFERING.to_owned(), OmissionPlace::Read, ORDER, None),
            Omission::LoadBuffering(cause) => {
                let (why, option) = match cause {
                    BufferingReason::DecidesWrites => ("what is written may depend on these reads", None),
                    BufferingReason::PossibleProblem => {
                        ("with other values of these reads a search finds a possible problem", None)
                    }
                    BufferingReason::Bound => {
                        let why = "the searches with other values of these reads have reached their bounds";
                        (why, Some("--max-states"))
                    }
                };
                (format!("{BUFFERING}, as {why}"), OmissionPlace::Read, ORDER, option)
            }
        };
        Self { why, place, change, option }
    }

    /// The option to raise and the change, as the end of a sentence; empty if nothing helps. `raise` says how the option is raised.
    pub fn advice(&self, raise: impl FnOnce(&str) -> String) -> String {
        match (self.option, self.change) {
            (None, change) => change.to_owned(),
            (Some(option), "") => raise(option),
            (Some(option), change) => format!("{}, or {change}", raise(option)),
        }
    }
}

const BUFFERING: &str =
    "executions in which threads read what others write after their own reads (load buffering) may have a problem";
const ORDER: &str = "order these reads before the writes after them, by acquire and release";

//! The mistakes that a run meets.

use crate::copies::tensor_map_mistake::TensorMistake;
use crate::launch::kernel_launch::{RunChecks, ThreadId};
use crate::memory::image::ImageMistake;
use crate::memory::nearest::NearestMemory;
use crate::proxy::{EarlierAgent, RaceCause};
use crate::tensor::tensor_mistake::{TensorMemoryMistake, TensorRaceCause};
use crate::waiting::mbarrier_instruction::MbarrierMistake;
use std::fmt;
use std::sync::Arc;

/// An instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodePlace {
    /// The index of the function.
    pub function: u32,
    /// The index of the instruction.
    pub instruction: u32,
}

/// A mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The first thread that made it.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
    /// Other threads and instructions that take part in it.
    pub related: Vec<(ThreadId, CodePlace)>,
    /// How often it occurred.
    pub count: u64,
}

/// What an access does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineAccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes indivisibly.
    Atomic,
}

/// How a CTA waits for a bulk copy from its shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceWait {
    /// By the bulk groups of the thread that began it.
    BulkGroup,
    /// By the mbarrier that the copy notifies, or by whoever has waited for that.
    Mbarrier,
}

impl MachineAccessKind {
    /// A noun phrase with its article, for messages.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Read => "a read",
            Self::Write => "a write",
            Self::Atomic => "an atomic access",
        }
    }
}

impl fmt::Display for MachineAccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic access",
        })
    }
}

/// A kind of mistake, with what a message says about it.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemKind {
    /// An access to an address that belongs to nothing.
    OutOfBounds {
        /// The access.
        access: MachineAccessKind,
        /// The address.
        address: u64,
        /// The size in bytes.
        size: u64,
        /// The memory that was probably meant.
        nearest: Option<NearestMemory>,
    },
    /// An access to memory that was freed.
    UseAfterFree {
        /// The access.
        access: MachineAccessKind,
        /// The address.
        address: u64,
    },
    /// An access to shared memory of another CTA that has ended, or may have.
    EndedCta {
        /// The access.
        access: MachineAccessKind,
        /// The offset in shared memory.
        offset: u64,
        /// The number of the CTA in the grid.
        cta: u32,
    },
    /// A copy from shared memory of a CTA that ends while the copy may not have read it.
    UnreadSource {
        /// The offset in shared memory.
        offset: u64,
        /// The number of the CTA in the grid.
        cta: u32,
        /// The wait that was missing.
        missing: SourceWait,
    },
    /// An address that is not a multiple of the access size.
    Misaligned {
        /// The access.
        access: MachineAccessKind,
        /// The address.
        address: u64,
        /// The size in bytes, which is the required alignment.
        size: u64,
    },
    /// A bulk operation whose size is not a multiple of what it copies or stores at a time.
    BulkSize {
        /// What it does: `copy` or `store`.
        operation: &'static str,
        /// The size in bytes.
        bytes: u64,
        /// What the size must be a multiple of.
        multiple: u64,
    },
    /// An address that is not in the state space of the instruction.
    WrongSpace {
        /// The address.
        address: u64,
        /// The space that the instruction names.
        expected: &'static str,
        /// The space of the address.
        found: &'static str,
    },
    /// A write to memory that kernels cannot write.
    ReadOnly {
        /// Its name.
        name: Arc<str>,
    },
    /// A read of memory that nothing has written.
    UninitializedMemory {
        /// The address.
        address: u64,
        /// The size in bytes.
        size: u64,
        /// The space.
        space: &'static str,
    },
    /// A use of a register that nothing has written.
    UninitializedRegister {
        /// Its slot.
        slot: u32,
    },
    /// A use of a register that a product of a warpgroup may not have written yet.
    UnfinishedProduct {
        /// Its slot.
        slot: u32,
    },
    /// Lanes of a warp that are not together at an instruction that requires it.
    BarrierDivergence {
        /// The lanes that are there.
        present: u32,
        /// The lanes that would have to be there.
        required: u32,
    },
    /// Threads that wait for something that cannot happen any more.
    Deadlock {
        /// The threads that wait, and what for.
        waiting: Vec<Waiting>,
    },
    /// A loop that can never end, because nothing changes what it reads.
    Livelock {
        /// The threads that wait, and what for.
        waiting: Vec<Waiting>,
    },
    /// The bound on the number of instructions.
    InstructionLimit {
        /// The bound.
        limit: u64,
    },
    /// A `trap`.
    Trap,
    /// A failed assertion.
    AssertionFailed {
        /// The asserted expression.
        message: String,
    },
    /// A wrong use of an mbarrier.
    Mbarrier {
        /// The mistake.
        mistake: MbarrierMistake,
        /// The address of the mbarrier in shared memory.
        address: u64,
    },
    /// An attempt to cancel a cluster by a thread that knows of one which has failed.
    CancelAfterRefusal,
    /// A tensor copy that does not fit its tensor map.
    TensorMap {
        /// The mistake.
        mistake: TensorMistake,
        /// The address of the tensor map.
        address: u64,
    },
    /// An instruction that does not fit the texture or surface that it names.
    Image {
        /// The mistake.
        mistake: ImageMistake,
        /// The handle.
        handle: u64,
    },
    /// A wrong use of tensor memory.
    TensorMemory {
        /// The mistake.
        mistake: TensorMemoryMistake,
    },
    /// Two operations on tensor memory that conflict and that are not ordered, or only without the fences that the ISA asks for.
    TensorRace {
        /// The address in tensor memory.
        address: u32,
        /// The access of this operation.
        access: MachineAccessKind,
        /// The access of the earlier one.
        other: MachineAccessKind,
        /// Why they are not ordered.
        cause: TensorRaceCause,
    },
    /// Two accesses that conflict and that nothing orders.
    DataRace {
        /// The address.
        address: u64,
        /// The memory, with the offset of the address.
        memory: Option<NearestMemory>,
        /// The access of this thread.
        access: MachineAccessKind,
        /// The earlier access.
        other: MachineAccessKind,
        /// Who makes that.
        by: EarlierAgent,
        /// Why they race.
        cause: RaceCause,
    },
    /// Stores of one value by several threads that nothing orders: a data race that no execution can tell from an order.
    SameValueRace {
        /// The address.
        address: u64,
        /// The memory, with the offset of the address.
        memory: Option<NearestMemory>,
    },
    /// Two volatile accesses, or a volatile write and an atomic access, that conflict and that nothing orders. They are strong, so they are no
    /// data race.
    UnorderedAccess {
        /// The address.
        address: u64,
        /// The memory, with the offset of the address.
        memory: Option<NearestMemory>,
        /// The access of this thread.
        access: MachineAccessKind,
        /// The access of the other thread.
        other: MachineAccessKind,
    },
    /// More local memory than a thread has.
    StackOverflow {
        /// The bytes that were needed.
        needed: u64,
    },
    /// A call or branch to something that is no function or no listed target.
    InvalidTarget {
        /// The value.
        value: u64,
    },
}

/// A group of threads that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The first of them.
    pub thread: ThreadId,
    /// Their number.
    pub threads: u32,
    /// The name of their CTA.
    pub cta: String,
    /// The instruction.
    pub place: CodePlace,
    /// What they wait for.
    pub reason: String,
}

impl ProblemKind {
    /// The codes of mistakes.
    pub const CODES: [&str; 19] = [
        "out-of-bounds",
        "use-after-free",
        "misaligned-access",
        "state-space-mismatch",
        "read-only-memory",
        "uninitialized-read",
        "barrier-divergence",
        "deadlock",
        "instruction-limit",
        "trap",
        "assertion-failed",
        "mbarrier-misuse",
        "launch-control-misuse",
        "tensor-map-misuse",
        "texture-misuse",
        "tensor-memory-misuse",
        "data-race",
        "stack-overflow",
        "invalid-target",
    ];

    /// Whether a run with some checks looks for it.
    const fn is_looked_for(&self, checks: RunChecks) -> bool {
        match self {
            Self::OutOfBounds { .. }
            | Self::UseAfterFree { .. }
            | Self::EndedCta { .. }
            | Self::UnreadSource { .. }
            | Self::Misaligned { .. }
            | Self::WrongSpace { .. }
            | Self::ReadOnly { .. }
            | Self::UninitializedMemory { .. }
            | Self::UninitializedRegister { .. }
            | Self::UnfinishedProduct { .. } => checks.has_memory(),
            Self::TensorRace { .. }
            | Self::DataRace { .. }
            | Self::SameValueRace { .. }
            | Self::UnorderedAccess { .. } => checks.has_races(),
            Self::BulkSize { .. }
            | Self::BarrierDivergence { .. }
            | Self::Deadlock { .. }
            | Self::Livelock { .. }
            | Self::InstructionLimit { .. }
            | Self::Trap
            | Self::AssertionFailed { .. }
            | Self::Mbarrier { .. }
            | Self::CancelAfterRefusal
            | Self::TensorMap { .. }
            | Self::Image { .. }
            | Self::TensorMemory { .. }
            | Self::StackOverflow { .. }
            | Self::InvalidTarget { .. } => true,
        }
    }

    /// The code of the problem, which scripts may rely on.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::OutOfBounds { .. } => "out-of-bounds",
            Self::UseAfterFree { .. } | Self::EndedCta { .. } | Self::UnreadSource { .. } => "use-after-free",
            Self::Misaligned { .. } | Self::BulkSize { .. } => "misaligned-access",
            Self::WrongSpace { .. } => "state-space-mismatch",
            Self::ReadOnly { .. } => "read-only-memory",
            Self::UninitializedMemory { .. } | Self::UninitializedRegister { .. } | Self::UnfinishedProduct { .. } => {
                "uninitialized-read"
            }
            Self::BarrierDivergence { .. } => "barrier-divergence",
            Self::Deadlock { .. } => "deadlock",
            Self::Livelock { .. } => "deadlock",
            Self::InstructionLimit { .. } => "instruction-limit",
            Self::Trap => "trap",
            Self::AssertionFailed { .. } => "assertion-failed",
            Self::Mbarrier { .. } => "mbarrier-misuse",
            Self::CancelAfterRefusal => "launch-control-misuse",
            Self::TensorMap { .. } => "tensor-map-misuse",
            Self::Image { .. } => "texture-misuse",
            Self::TensorMemory { .. } => "tensor-memory-misuse",
            Self::TensorRace { cause: TensorRaceCause::NotFenced, .. } => "missing-tensor-fence",
            Self::DataRace { .. } | Self::TensorRace { .. } => "data-race",
            Self::SameValueRace { .. } => "same-value-race",
            Self::UnorderedAccess { .. } => "unordered-access",
            Self::StackOverflow { .. } => "stack-overflow",
            Self::InvalidTarget { .. } => "invalid-target",
        }
    }
}

/// The problems of a run. Those of the same kind at the same instruction are counted, not repeated.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    /// Which are looked for.
    checks: RunChecks,
}

impl Problems {
    /// No problems yet; others than those of some checks, and those that end a run, are not looked for.
    pub const fn of(checks: RunChecks) -> Self {
        Self { list: Vec::new(), checks }
    }

    /// Adds a problem, or counts it.
    pub fn report(
        &mut self,
        kind: ProblemKind,
        thread: ThreadId,
        place: CodePlace,
        related: Vec<(ThreadId, CodePlace)>,
    ) {
        if !kind.is_looked_for(self.checks) {
            return;
        }
        let code = kind.code();
        match self.list.iter_mut().find(|known| known.place == place && known.kind.code() == code) {
            Some(known) => known.count += 1,
            None => self.list.push(Problem { kind, thread, place, related, count: 1 }),
        }
    }

    /// The problems so far.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// The problems, in the order of their first occurrence.
    pub fn into_list(self) -> Vec<Problem> {
        self.list
    }
}

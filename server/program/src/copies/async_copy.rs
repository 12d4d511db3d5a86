//! Instructions of asynchronous copies, and of the groups that they end in.

use crate::operand::{MachineAddress, Source};
use values::Operation;

/// An instruction that begins a copy.
#[derive(Debug)]
pub struct AsyncCopy {
    /// The first byte that is written.
    pub destination: MachineAddress,
    /// What is written.
    pub source: CopySource,
    /// The number of bytes that are written.
    pub bytes: Source,
    /// The update, if the source is added to the destination or combined with it in another way.
    pub reduction: Option<Operation>,
    /// How its end is observed.
    pub completion: Completion,
    /// The ranks of the CTAs of the cluster that get the bytes at the same offset, as a mask, with `.multicast::cluster`.
    pub multicast: Option<Source>,
    /// Which bytes are copied.
    pub part: CopyPart,
}

/// Which bytes a copy copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyPart {
    /// All.
    All,
    /// Of each 16 bytes those whose bit is set, with `.cp_mask`.
    Masked(Source),
    /// All but so many at the begin and at the end, which get no defined value, with `.ignore_oob`.
    Inner(Source, Source),
}

/// The source of a copy.
#[derive(Debug)]
pub enum CopySource {
    /// Memory. After `bytes`, if there are some, zeros are written.
    Memory {
        /// The first byte.
        address: MachineAddress,
        /// The number of bytes that are read.
        bytes: Option<Source>,
    },
    /// Registers, each with so many bytes.
    Registers(Vec<Source>, u32),
}

/// An instruction that cancels the next cluster.
#[derive(Debug)]
pub struct CancelLaunch {
    /// Where the answer is written.
    pub answer: MachineAddress,
    /// The mbarrier that is told of it.
    pub barrier: MachineAddress,
    /// Who gets the answer.
    pub recipients: AnswerRecipients,
}

/// The CTAs that get an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerRecipients {
    /// The one that asks.
    Own,
    /// All of its cluster, at the same offset.
    Cluster,
}

/// How the end of a copy is observed.
#[derive(Debug)]
pub enum Completion {
    /// By groups of the thread: `cp.async`.
    Group,
    /// By bulk groups of the thread.
    BulkGroup,
    /// By an mbarrier that expects the bytes.
    Mbarrier(MachineAddress),
}

/// An instruction on groups of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupWait {
    /// Which groups.
    pub kind: GroupKind,
    /// What it does.
    pub action: GroupAction,
}

/// The two kinds of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Of `cp.async`.
    Copies,
    /// Of `cp.async.bulk`.
    Bulk,
    /// Of `wgmma`.
    Matrices,
    /// Of `tcgen05`, ended by commits.
    Tensors,
}

/// What is done with groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupAction {
    /// The copies since the last one become a group.
    Commit,
    /// Waits until at most so many groups are under way.
    Wait(u32),
    /// Waits until at most so many groups still read their source.
    WaitRead(u32),
    /// Waits for all copies, in groups or not.
    WaitAll,
}

//! How problems are worded.

use crate::launch::kernel_launch::ThreadId;
use crate::memory::nearest::NearestMemory;
use crate::problem::{ProblemKind, SourceWait, Waiting};
use crate::proxy::RaceCause;
use crate::tensor::tensor_mistake::TensorRaceCause;
use std::fmt;

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ProblemMessage { kind: self, memory: None }.fmt(f)
    }
}

impl ProblemKind {
    /// The message about memory that has a name: `tile[3][17]`.
    pub fn message_on(&self, memory: &str) -> String {
        ProblemMessage { kind: self, memory: Some(memory) }.to_string()
    }
}

/// A problem in words, with the name of the memory if it is known.
struct ProblemMessage<'p> {
    kind: &'p ProblemKind,
    memory: Option<&'p str>,
}

/// The memory at an address, in a message.
#[derive(Clone, Copy)]
struct NamedAddress<'p> {
    name: Option<&'p str>,
    /// What is before the name.
    preposition: &'static str,
    address: u64,
}

impl fmt::Display for NamedAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => write!(f, "{} `{name}`", self.preposition),
            None => write!(f, "at {:#x}", self.address),
        }
    }
}

impl ProblemMessage<'_> {
    fn place(&self, preposition: &'static str, address: u64) -> NamedAddress<'_> {
        NamedAddress { name: self.memory, preposition, address }
    }

    /// Where the address is, if the memory has no name of its own.
    fn nearest(&self, f: &mut fmt::Formatter<'_>, memory: Option<&NearestMemory>) -> fmt::Result {
        memory.iter().filter(|_| self.memory.is_none()).try_for_each(|memory| write!(f, " ({memory})"))
    }
}

impl fmt::Display for ProblemMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ProblemKind::OutOfBounds { access, address, size, nearest } => {
                match self.memory {
                    Some(memory) => write!(f, "{access} of `{memory}` is out of bounds")?,
                    None => write!(f, "{access} of {size} bytes at {address:#x} is out of bounds")?,
                }
                nearest.iter().try_for_each(|nearest| write!(f, ": {nearest}"))
            }
            ProblemKind::UseAfterFree { access, address } => write!(f, "{access} at {address:#x} after the memory was freed"),
            ProblemKind::EndedCta { access, offset, cta } => write!(
                f,
                "{access} at byte {offset} of shared memory of CTA {cta}, which may have ended: a barrier of the cluster before its end \
                 (`barrier.cluster`) has to wait for this access"
            ),
            ProblemKind::UnreadSource { offset, cta, missing } => {
                let wait = match missing {
                    SourceWait::BulkGroup => "`cp.async.bulk.wait_group.read 0`",
                    SourceWait::Mbarrier => {
                        "a barrier of the cluster, `barrier.cluster`, after the wait for the mbarrier that the copy notifies"
                    }
                };
                write!(
                    f,
                    "copy from byte {offset} of shared memory of CTA {cta}, which may have ended before: the CTA has to wait for the copy before \
                     its end ({wait})"
                )
            }
            ProblemKind::BulkSize { operation, bytes, multiple } => {
                write!(f, "bulk {operation} of {bytes} bytes: the size must be a multiple of {multiple}")
            }
            ProblemKind::Misaligned { access, address, size } => {
                write!(f, "{access} at misaligned address {address:#x}: {size} bytes require a multiple of {size}")
            }
            ProblemKind::WrongSpace { address, expected, found } => {
                write!(f, "address {address:#x} is not in {expected} memory: it is in {found} memory")
            }
            ProblemKind::ReadOnly { name } => write!(f, "write to `{name}`, which kernels cannot write"),
            ProblemKind::UninitializedMemory { address, size, space } => {
                match self.memory {
                    Some(memory) => write!(f, "read of `{memory}`, which nothing has written"),
                    None => write!(f, "read of {size} bytes of {space} memory at {address:#x} that nothing has written"),
                }
            }
            ProblemKind::UninitializedRegister { .. } => write!(f, "use of a register that has no defined value"),
            ProblemKind::UnfinishedProduct { .. } => {
                write!(f, "use of the result of `wgmma.mma_async` before `wgmma.wait_group` has waited for it")
            }
            ProblemKind::BarrierDivergence { present, required } => write!(
                f,
                "{} of {} lanes of the warp are at this instruction, which all have to execute together",
                present.count_ones(),
                required.count_ones()
            ),
            ProblemKind::Deadlock { waiting } => write!(f, "deadlock: {}", Listed(waiting)),
            ProblemKind::Livelock { waiting } => write!(f, "threads wait in a loop that cannot end: {}", Listed(waiting)),
            ProblemKind::InstructionLimit { limit } => write!(f, "the kernel did not end within {limit} instructions"),
            ProblemKind::Trap => write!(f, "`trap` was executed"),
            ProblemKind::AssertionFailed { message } => write!(f, "assertion failed: {message}"),
            ProblemKind::Mbarrier { mistake, address } => write!(f, "{mistake} (shared memory, address {address:#x})"),
            ProblemKind::CancelAfterRefusal => f.write_str(
                "attempt to cancel a launch by a thread that knows of one which has failed: a thread has to stop asking after the first \
                 answer that says so",
            ),
            ProblemKind::TensorMap { mistake, address } => write!(f, "{mistake} (address {address:#x})"),
            ProblemKind::Image { mistake, handle } => write!(f, "{mistake} (handle {handle:#x})"),
            ProblemKind::TensorMemory { mistake } => mistake.fmt(f),
            ProblemKind::TensorRace { address, access, other, cause } => {
                let other = other.with_article();
                match cause {
                    TensorRaceCause::NotOrdered => write!(
                        f,
                        "data race in tensor memory at {address:#x}: this {access} and {other} of another thread are not ordered"
                    ),
                    TensorRaceCause::NotAwaited(end) => write!(
                        f,
                        "data race in tensor memory at {address:#x}: nothing waits for the end of {other} before this {access}; {end} does"
                    ),
                    TensorRaceCause::NotFenced => write!(
                        f,
                        "no `tcgen05.fence` at the synchronization between {other} of tensor memory at {address:#x} and this {access}"
                    ),
                }
            }
            ProblemKind::DataRace { address, memory, access, other, by, cause } => {
                let other = other.with_article();
                write!(f, "data race {}: ", self.place("on", *address))?;
                match cause {
                    RaceCause::NotOrdered => write!(f, "this {access} and {other} of {by} are not ordered")?,
                    RaceCause::UnorderedTensorMap => {
                        write!(f, "this {access} of the tensor map and {other} of {by} are not ordered")?;
                    }
                    RaceCause::NoProxyFence => {
                        write!(f, "no `fence.proxy.async` between {other} and this asynchronous {access}")?;
                    }
                    RaceCause::NoTensorMapFence => {
                        write!(
                            f,
                            "no `fence.proxy.tensormap::generic.acquire` between {other} and this {access} of the tensor map"
                        )?;
                    }
                    RaceCause::NoTensorMapRelease => {
                        write!(
                            f,
                            "no `fence.proxy.tensormap::generic.release` after {other} by another thread, before this {access} of the tensor map"
                        )?;
                    }
                    RaceCause::NonCoherentRead => {
                        write!(
                            f,
                            "this non-coherent read (`.nc`) may not see {other} that the kernel has made before"
                        )?;
                    }
                    RaceCause::ImageProxy => {
                        write!(
                            f,
                            "this {access} may not see {other} that the kernel has made before: textures and surfaces are \
                             accessed through proxies of their own, and no fence orders them within a kernel"
                        )?;
                    }
                    RaceCause::EarlierTensorMap => {
                        write!(
                            f,
                            "no `fence.proxy.tensormap::generic.acquire` in this kernel between {other} by the kernel before and this {access} of the tensor map"
                        )?;
                    }
                    RaceCause::EarlierKernel => {
                        write!(f, "no `griddepcontrol.wait` between {other} by the earlier kernel and this {access}")?;
                    }
                    RaceCause::KernelBeforeEarlier => {
                        write!(
                            f,
                            "nothing orders {other} by the kernel before the earlier one and this {access}: the earlier one ends without \
                             `griddepcontrol.wait`, and this kernel waits for it alone"
                        )?;
                    }
                }
                self.nearest(f, memory.as_ref())
            }
            ProblemKind::SameValueRace { address, memory } => {
                let place = self.place("to", *address);
                write!(f, "several threads store the same value {place}, and nothing orders the stores")?;
                self.nearest(f, memory.as_ref())
            }
            ProblemKind::UnorderedAccess { address, memory, access, other } => {
                let (place, other) = (self.place("of", *address), other.with_article());
                write!(f, "{access} {place} and {other} of another thread are not ordered")?;
                self.nearest(f, memory.as_ref())?;
                f.write_str("; volatile accesses do not race, but one may be missed")
            }
            ProblemKind::StackOverflow { needed } => write!(f, "stack overflow: {needed} bytes of local memory in a thread"),
            ProblemKind::InvalidTarget { value } => write!(f, "{value:#x} is not a target of this instruction"),
        }
    }
}

/// The groups of threads that wait, in a message.
struct Listed<'w>(&'w [Waiting]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        for (at, Waiting { thread: ThreadId { thread, .. }, threads, cta, reason, .. }) in
            self.0.iter().take(SHOWN).enumerate()
        {
            let separator = if at > 0 { "; " } else { "" };
            match threads {
                1 => write!(f, "{separator}thread {thread} of CTA {cta} waits for {reason}")?,
                _ => write!(f, "{separator}{threads} threads from thread {thread} of CTA {cta} on wait for {reason}")?,
            }
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "; and {more} more groups"),
        }
    }
}

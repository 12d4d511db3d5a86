//! What an instruction does to the addresses that a thread accesses, and to its order with others.

use isa::types::Sem;
use program::{
    AddressConversion, AsyncCopy, BarrierInstruction, CallTarget, Completion, CopySource, CtaBarrierInstruction,
    Destination, Fill, GroupWait, MachineAction, MachineAddress, MachineGuard, MatrixInstruction, MbarrierAction,
    MemorySpace, OrderSpelling, ScalarAction, Source, SpecialValue,
};
use values::scalar::ScalarType;

/// An instruction that counts.
pub(crate) struct CodeStep<'p> {
    /// Its index in the function.
    pub at: u32,
    /// Its guard.
    pub guard: Option<MachineGuard>,
    /// What it does.
    pub step: ThreadStep<'p>,
    /// The slots of the registers that it writes.
    pub written: Box<[u32]>,
    /// Whether it is an access that other threads can rely on.
    pub is_strong: bool,
}

/// What an instruction does.
pub(crate) enum ThreadStep<'p> {
    /// Nothing that counts.
    Nothing,
    /// It computes integers and predicates.
    Compute(&'p ScalarAction),
    /// It copies a register.
    Move(Destination, Source),
    /// It concatenates registers.
    Pack(Destination, &'p [(Source, u32)]),
    /// It takes a register apart.
    Unpack(Source, &'p [(Option<Destination>, u32)]),
    /// It reads a special register.
    Special(Destination, SpecialValue),
    /// It converts an address.
    Convert(Destination, Source, AddressConversion),
    /// It reads parameters of the kernel: the address, the bytes of an element, and the registers of the elements.
    Parameter(&'p MachineAddress, u32, &'p [Option<Destination>]),
    /// It writes registers with values that are not known.
    Unknown,
    /// It reads other memory than shared memory.
    Loaded,
    /// It accesses shared memory, or generic addresses.
    Access(SharedAccess<'p>),
    /// It begins a copy to shared memory that belongs to a group of the thread.
    Copy(&'p AsyncCopy),
    /// It ends a group of copies, or waits for groups.
    Group(GroupWait),
    /// It continues at a step.
    Branch(u32),
    /// It continues at one of several steps.
    BranchIndexed(Source, Box<[u32]>),
    /// It ends the thread.
    End,
    /// It arrives or waits at a barrier of the block.
    Barrier(&'p CtaBarrierInstruction),
    /// It waits for all threads of the cluster.
    ClusterWait,
    /// It waits for the lanes of a mask; for those that are there if there is none.
    Lanes(Option<Source>),
    /// It orders what follows in a way that is not modelled, or may do so.
    Order,
}

/// An access to shared memory.
#[derive(Clone, Copy)]
pub(crate) struct SharedAccess<'p> {
    /// The address.
    pub address: &'p MachineAddress,
    /// The bytes.
    pub bytes: AccessBytes,
    /// What it does.
    pub kind: SharedAccessKind,
    /// The values that it writes.
    pub values: &'p [Source],
    /// The lanes that access memory at their addresses.
    pub lanes: u32,
}

/// The number of bytes of an access.
#[derive(Clone, Copy)]
pub(crate) enum AccessBytes {
    /// A number.
    Fixed(u32),
    /// The value of an operand.
    Of(Source),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedAccessKind {
    /// A weak read.
    Read,
    /// A weak write.
    Write,
    /// A volatile read.
    VolatileRead,
    /// A volatile write.
    VolatileWrite,
    /// A strong read that is not volatile.
    StrongRead,
    /// A read-modify-write, or a strong write that is not volatile.
    Strong,
    /// A compare-and-swap, whose expected value a weak read may have found.
    CompareAndSwap,
}

impl SharedAccessKind {
    /// Whether it is a write, or may be one.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::VolatileWrite | Self::Strong | Self::CompareAndSwap)
    }

    /// Whether another thread can rely on its order.
    pub const fn is_strong(self) -> bool {
        !matches!(self, Self::Read | Self::Write)
    }
}

impl SharedAccess<'_> {
    /// Whether it writes shared memory or generic addresses.
    pub const fn writes(&self) -> bool {
        self.kind.writes()
    }
}

impl<'p> ThreadStep<'p> {
    /// The access.
    pub const fn access(&self) -> Option<&SharedAccess<'p>> {
        if let Self::Access(access) = self { Some(access) } else { None }
    }

    /// Whether it may write shared memory.
    pub fn writes_shared(&self) -> bool {
        matches!(self, Self::Copy(_)) || self.access().is_some_and(SharedAccess::writes)
    }

    /// Whether the step counts whatever the results of others are.
    pub const fn is_always_needed(&self) -> bool {
        match self {
            Self::Access(_)
            | Self::Copy(_)
            | Self::Group(_)
            | Self::Branch(_)
            | Self::BranchIndexed(..)
            | Self::End
            | Self::Barrier(_)
            | Self::ClusterWait
            | Self::Lanes(_)
            | Self::Order => true,
            Self::Nothing
            | Self::Compute(_)
            | Self::Move(..)
            | Self::Pack(..)
            | Self::Unpack(..)
            | Self::Special(..)
            | Self::Convert(..)
            | Self::Parameter(..)
            | Self::Unknown
            | Self::Loaded => false,
        }
    }

    /// Whether the results may be known if the sources are.
    pub const fn has_known_result(&self) -> bool {
        !matches!(self, Self::Unknown | Self::Loaded)
    }

    /// Whether it may order accesses of different threads.
    pub const fn orders(&self) -> bool {
        matches!(self, Self::Barrier(_) | Self::ClusterWait | Self::Lanes(_) | Self::Order | Self::Group(_))
    }

    /// The same step with branches to steps: `places` has the number of the step of each instruction.
    pub fn with_targets(self, places: &[u32]) -> Self {
        match self {
            Self::Branch(target) => Self::Branch(places[target as usize]),
            Self::BranchIndexed(index, targets) => {
                Self::BranchIndexed(index, targets.iter().map(|target| places[*target as usize]).collect())
            }
            other => other,
        }
    }

    /// Where the step continues but at the next one.
    pub fn targets(&self) -> &[u32] {
        match self {
            Self::Branch(target) => std::slice::from_ref(target),
            Self::BranchIndexed(_, targets) => targets,
            _ => &[],
        }
    }

    /// Whether it continues at the next step if its guard holds.
    pub const fn continues(&self) -> bool {
        !matches!(self, Self::Branch(_) | Self::BranchIndexed(..) | Self::End)
    }

    /// The registers that it copies or adds to something else.
    pub fn addends(&self) -> impl Iterator<Item = Source> {
        let (one, sum) = match self {
            Self::Move(_, source) | Self::Convert(_, source, _) => (Some(*source), None),
            Self::Compute(scalar) => (None, Some(*scalar)),
            _ => (None, None),
        };
        let of_sum = move |scalar: &'p ScalarAction| scalar.operation.addends().iter().map(|at| scalar.sources[*at]);
        one.into_iter().chain(sum.into_iter().flat_map(of_sum))
    }
}

/// The address of global memory or of the generic space that an instruction accesses.
pub(crate) fn pointer_source(action: &MachineAction) -> Option<Source> {
    let address = match action {
        MachineAction::Load(load) => &load.address,
        MachineAction::Store(store) => &store.address,
        MachineAction::Atomic(atomic) => &atomic.address,
        MachineAction::Copy(copy) => match &copy.source {
            CopySource::Memory { address, .. } => address,
            CopySource::Registers(..) => return None,
        },
        _ => return None,
    };
    matches!(address.space, MemorySpace::Global | MemorySpace::Generic).then_some(address.base)
}

/// What an instruction does.
pub(crate) fn step(action: &MachineAction) -> ThreadStep<'_> {
    match action {
        MachineAction::Scalar(scalar) if computes_numbers(scalar) => ThreadStep::Compute(scalar),
        MachineAction::Move(to, from) => ThreadStep::Move(*to, *from),
        MachineAction::Pack(to, parts) => ThreadStep::Pack(*to, parts),
        MachineAction::Unpack(from, parts) => ThreadStep::Unpack(*from, parts),
        MachineAction::ReadSpecial(to, value) => ThreadStep::Special(*to, *value),
        MachineAction::ConvertAddress(to, from, conversion) => ThreadStep::Convert(*to, *from, *conversion),
        MachineAction::Load(load) if load.address.space == MemorySpace::Parameter => {
            ThreadStep::Parameter(&load.address, load.element_bytes, &load.elements)
        }
        MachineAction::Load(load) => {
            let kind = match (load.order.sem, load.order.spelling) {
                (Sem::Weak, _) => SharedAccessKind::Read,
                (_, OrderSpelling::Volatile) => SharedAccessKind::VolatileRead,
                _ => SharedAccessKind::StrongRead,
            };
            access(&load.address, load.element_bytes * load.elements.len() as u32, kind, &[])
        }
        MachineAction::Store(store) => {
            let kind = match (store.order.sem, store.order.spelling) {
                (Sem::Weak, _) => SharedAccessKind::Write,
                (_, OrderSpelling::Volatile) => SharedAccessKind::VolatileWrite,
                _ => SharedAccessKind::Strong,
            };
            access(&store.address, store.element_bytes * store.elements.len() as u32, kind, &store.elements)
        }
        MachineAction::Atomic(atomic) => {
            let kind = if atomic.c.is_empty() { SharedAccessKind::Strong } else { SharedAccessKind::CompareAndSwap };
            access(&atomic.address, atomic.shape().bytes(), kind, &[])
        }
        MachineAction::Fill(fill) => fill_step(fill),
        MachineAction::Matrix(matrix) => match &**matrix {
            MatrixInstruction::Load(address, to, _) => rows(address, to.len(), SharedAccessKind::Read),
            MatrixInstruction::Store(address, from, _) => rows(address, from.len(), SharedAccessKind::Write),
            MatrixInstruction::LoadFragment(_)
            | MatrixInstruction::StoreFragment(_)
            | MatrixInstruction::Move(..)
            | MatrixInstruction::Multiply(_) => ThreadStep::Unknown,
        },
        MachineAction::Copy(copy) => match copy.completion {
            Completion::Group => ThreadStep::Copy(copy),
            Completion::BulkGroup | Completion::Mbarrier(_) => ThreadStep::Unknown,
        },
        MachineAction::CopyGroup(wait) => ThreadStep::Group(*wait),
        MachineAction::Branch(target) => ThreadStep::Branch(*target),
        MachineAction::BranchIndexed(index, targets) => {
            ThreadStep::BranchIndexed(*index, targets.iter().copied().collect())
        }
        MachineAction::Return | MachineAction::Exit | MachineAction::Trap => ThreadStep::End,
        MachineAction::Barrier(barrier) => match barrier {
            BarrierInstruction::Cta(barrier) => ThreadStep::Barrier(barrier),
            BarrierInstruction::ClusterArrive(..) => ThreadStep::Nothing,
            BarrierInstruction::ClusterWait(_) => ThreadStep::ClusterWait,
            BarrierInstruction::Warp(members) => ThreadStep::Lanes(Some(*members)),
        },
        // Whether an exchange orders memory is left open: nothing is reported where it would.
        MachineAction::Collective(collective) => match collective.members {
            Some(members) => ThreadStep::Lanes(Some(members)),
            None => ThreadStep::Unknown,
        },
        MachineAction::Mbarrier(mbarrier) => match mbarrier.operation {
            MbarrierAction::Test(..) => ThreadStep::Order,
            MbarrierAction::Initialize(_)
            | MbarrierAction::Invalidate
            | MbarrierAction::Arrive { .. }
            | MbarrierAction::ExpectBytes(_)
            | MbarrierAction::CompleteBytes(_)
            | MbarrierAction::ArriveAfterCopies(_) => ThreadStep::Unknown,
        },
        MachineAction::Call(call) => match call.target {
            CallTarget::System(_) => ThreadStep::Unknown,
            CallTarget::Function(_) | CallTarget::Register(_) => ThreadStep::Order,
        },
        MachineAction::Unsupported(_) => ThreadStep::Order,
        MachineAction::Nothing
        | MachineAction::Fence(_)
        | MachineAction::ProxyFence(_)
        | MachineAction::AcquireTensorMap(_)
        | MachineAction::WaitForEarlierKernel
        | MachineAction::LaunchDependents => ThreadStep::Nothing,
        MachineAction::Scalar(_)
        | MachineAction::IsSpace(..)
        | MachineAction::MapToRank(..)
        | MachineAction::RankOf(..)
        | MachineAction::Warpgroup(_)
        | MachineAction::Tensor(_)
        | MachineAction::CancelLaunch(_)
        | MachineAction::LearnAnswer(_)
        | MachineAction::TensorCopy(_)
        | MachineAction::TensorMap(_)
        | MachineAction::Image(_)
        | MachineAction::AllocateLocal(..) => ThreadStep::Unknown,
    }
}

/// Whether the sources and the result are no floating-point numbers.
fn computes_numbers(scalar: &ScalarAction) -> bool {
    let is_number = |ty: &ScalarType| {
        matches!(ty, ScalarType::Predicate | ScalarType::Bits(_) | ScalarType::Unsigned(_) | ScalarType::Signed(_))
    };
    scalar.operation.source_types().iter().all(is_number) && is_number(&scalar.operation.destination_type())
}

fn access<'p>(address: &'p MachineAddress, bytes: u32, kind: SharedAccessKind, values: &'p [Source]) -> ThreadStep<'p> {
    match address.space {
        MemorySpace::Generic | MemorySpace::SharedCta | MemorySpace::SharedCluster => {
            let bytes = AccessBytes::Fixed(bytes);
            ThreadStep::Access(SharedAccess { address, bytes, kind, values, lanes: u32::MAX })
        }
        _ => ThreadStep::Loaded,
    }
}

fn fill_step(fill: &Fill) -> ThreadStep<'_> {
    let bytes = AccessBytes::Of(fill.bytes);
    ThreadStep::Access(SharedAccess {
        address: &fill.address,
        bytes,
        kind: SharedAccessKind::Write,
        values: &[],
        lanes: u32::MAX,
    })
}

/// The rows of matrices: eight lanes have the addresses of one, of 16 bytes each.
fn rows(address: &MachineAddress, matrices: usize, kind: SharedAccessKind) -> ThreadStep<'_> {
    let lanes = u32::MAX >> (32 - 8 * matrices.clamp(1, 4));
    ThreadStep::Access(SharedAccess { address, bytes: AccessBytes::Fixed(16), kind, values: &[], lanes })
}

//! Changes to the orders, scopes, fences and barriers of a kernel: weaker ones, to see which it needs, and stronger ones, to repair it.

use crate::Kernel;
use crate::repairs::order_edits::{TextEdit, access_edit, fence_edit, fence_opcode, opcode_range};
use isa::Module;
use isa::types::Op;
use memory_model::{FenceKind, Scope, Sem};
use program::{
    AccessOrder, BarrierInstruction, CodePlace, FenceSemantics, InstructionMemory, Launch, MachineAction,
    MbarrierAction, OrderedMemory, Synchronization, TensorAction, WarpgroupInstruction,
};
use std::ops::Range;

/// An instruction whose order can change.
#[derive(Clone, Debug)]
pub struct OrderSite {
    /// Its statement, in bytes.
    pub range: Range<usize>,
    /// Its place.
    pub place: CodePlace,
    pub(crate) kind: OrderSiteKind,
    /// Whether an mbarrier is initialized before it in the text.
    follows_initialization: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OrderSiteKind {
    Access(OrderedAccess, AccessOrder),
    Fence(FenceSemantics),
    ProxyFence,
    Barrier,
    ClusterArrive(Sem),
    /// An operation that accesses memory through the async proxy.
    Asynchronous,
    /// A tensor copy, which reads its tensor map, too.
    TensorCopy,
    /// An operation on tensor memory, which accesses shared memory through the async proxy or not at all.
    TensorMemory,
    /// `griddepcontrol.wait`
    KernelWait,
    /// `griddepcontrol.launch_dependents`
    KernelLaunch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderedAccess {
    Load,
    Store,
    /// A read-modify-write without result.
    Reduction,
    Update,
    /// An arrival at an mbarrier.
    Arrival,
    /// A test of an mbarrier.
    Test,
}

/// A change of an instruction.
#[derive(Clone, Debug)]
pub struct OrderChange {
    /// The edit of the text.
    pub edit: TextEdit,
    /// What it does, as `remove it` or ``use `ld.relaxed.gpu.u32` ``.
    pub title: String,
}

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];

/// The accesses, fences and barriers of a kernel in the order of the text. Weak accesses are among them.
pub fn order_sites(kernel: &Kernel) -> Vec<OrderSite> {
    let mut sites = Vec::new();
    let mut first_initialization = usize::MAX;
    for (function, code) in kernel.program.functions.iter().enumerate() {
        for (instruction, one) in code.code.iter().enumerate() {
            let place = CodePlace { function: function as u32, instruction: instruction as u32 };
            if is_initialization(&one.action) {
                first_initialization = first_initialization.min(kernel.range(place).start);
            }
            let Some(kind) = site_kind(&one.action) else { continue };
            sites.push(OrderSite { range: kernel.range(place), place, kind, follows_initialization: false });
        }
    }
    for site in &mut sites {
        site.follows_initialization = site.range.start > first_initialization;
    }
    sites.sort_by_key(|site| site.range.start);
    sites.dedup_by(|one, two| one.range == two.range);
    sites
}

fn is_initialization(action: &MachineAction) -> bool {
    matches!(action.memory(), InstructionMemory::Mbarrier(one) if matches!(one.operation, MbarrierAction::Initialize(_)))
}

/// The kind of an instruction whose order can change, or before which a fence can be missing.
fn site_kind(action: &MachineAction) -> Option<OrderSiteKind> {
    Some(match action.memory() {
        InstructionMemory::Load(load) => OrderSiteKind::Access(OrderedAccess::Load, load.order),
        InstructionMemory::Store(store) => OrderSiteKind::Access(OrderedAccess::Store, store.order),
        InstructionMemory::Update(atomic) => {
            let is_reduction = atomic.destination.iter().all(Option::is_none) && atomic.in_global.op() != Op::Exch;
            let kind = if is_reduction { OrderedAccess::Reduction } else { OrderedAccess::Update };
            OrderSiteKind::Access(kind, atomic.order)
        }
        InstructionMemory::Mbarrier(mbarrier) => match mbarrier.operation {
            MbarrierAction::Arrive { .. } => OrderSiteKind::Access(OrderedAccess::Arrival, mbarrier.order),
            MbarrierAction::Test(..) => OrderSiteKind::Access(OrderedAccess::Test, mbarrier.order),
            _ => return None,
        },
        InstructionMemory::Copy(_) => OrderSiteKind::Asynchronous,
        InstructionMemory::TensorCopy(_) => OrderSiteKind::TensorCopy,
        InstructionMemory::TensorMap(_)
        | InstructionMemory::Image(_)
        | InstructionMemory::Fill(_)
        | InstructionMemory::Matrix
        | InstructionMemory::Answer
        | InstructionMemory::Unknown => return None,
        InstructionMemory::None | InstructionMemory::Descriptors => {
            return synchronizing_site(action.synchronization());
        }
    })
}

fn synchronizing_site(synchronization: Synchronization) -> Option<OrderSiteKind> {
    Some(match synchronization {
        Synchronization::Fence(fence) => OrderSiteKind::Fence(fence),
        Synchronization::Proxies => OrderSiteKind::ProxyFence,
        Synchronization::Barrier(BarrierInstruction::Cta(_) | BarrierInstruction::Warp(_)) => OrderSiteKind::Barrier,
        Synchronization::Barrier(BarrierInstruction::ClusterArrive(_, sem)) => OrderSiteKind::ClusterArrive(*sem),
        Synchronization::Warpgroup(WarpgroupInstruction::Multiply(_)) => OrderSiteKind::Asynchronous,
        Synchronization::EarlierKernel => OrderSiteKind::KernelWait,
        Synchronization::NextKernel => OrderSiteKind::KernelLaunch,
        Synchronization::Tensor(tensor) => match tensor.action {
            TensorAction::Wait(_) | TensorAction::Relinquish => return None,
            _ => OrderSiteKind::TensorMemory,
        },
        Synchronization::None
        | Synchronization::TensorFence(_)
        | Synchronization::Barrier(BarrierInstruction::ClusterWait(_))
        | Synchronization::Lanes(_)
        | Synchronization::Matrix
        | Synchronization::Warpgroup(WarpgroupInstruction::Commit | WarpgroupInstruction::Wait(_))
        | Synchronization::Mbarrier(_)
        | Synchronization::Copy
        | Synchronization::Group(_)
        | Synchronization::CancelLaunch
        | Synchronization::Answer
        | Synchronization::Call(_)
        | Synchronization::Unknown => return None,
    })
}

/// Whether two orders mean the same, however they are written.
fn is_same(one: &AccessOrder, other: &AccessOrder) -> bool {
    (one.sem, one.scope) == (other.sem, other.scope)
}

impl OrderSite {
    /// Whether it orders anything: all but weak accesses and what is asynchronous.
    pub const fn is_ordering(&self) -> bool {
        match self.kind {
            OrderSiteKind::Access(_, order) => !matches!(order.sem, Sem::Weak),
            OrderSiteKind::Fence(_)
            | OrderSiteKind::ProxyFence
            | OrderSiteKind::Barrier
            | OrderSiteKind::ClusterArrive(_)
            | OrderSiteKind::KernelWait => true,
            OrderSiteKind::Asynchronous
            | OrderSiteKind::TensorCopy
            | OrderSiteKind::TensorMemory
            | OrderSiteKind::KernelLaunch => false,
        }
    }

    /// Whether it may be needed although no execution of this launch shows that: by asynchronous copies, to see that an mbarrier is initialized, or by
    /// kernels that are launched before or after these.
    pub fn may_be_needed(&self, text: &str) -> bool {
        let opcode = opcode_range(text, &self.range).and_then(|range| text.get(range)).unwrap_or_default();
        let is_of_shared = opcode.contains(".proxy.async") && !opcode.contains(".global");
        let is_wait = matches!(self.kind, OrderSiteKind::KernelWait);
        is_wait || self.follows_initialization && (is_of_shared || opcode.contains(".mbarrier_init"))
    }

    /// The weaker changes, the weakest first.
    pub fn weaker(&self, text: &str, module: &Module) -> Vec<OrderChange> {
        let opcode = opcode_range(text, &self.range).and_then(|range| text.get(range)).unwrap_or_default();
        match self.kind {
            // It copies a map, too.
            _ if opcode.starts_with("tensormap") => Vec::new(),
            OrderSiteKind::Fence(_) if opcode.contains(".proxy") => self.removal(text).into_iter().collect(),
            OrderSiteKind::Barrier | OrderSiteKind::ProxyFence | OrderSiteKind::KernelWait => {
                self.removal(text).into_iter().collect()
            }
            OrderSiteKind::ClusterArrive(_)
            | OrderSiteKind::Asynchronous
            | OrderSiteKind::TensorCopy
            | OrderSiteKind::TensorMemory
            | OrderSiteKind::KernelLaunch => Vec::new(),
            OrderSiteKind::Fence(fence) => {
                let narrower = SCOPES.into_iter().filter(|scope| *scope < fence.scope);
                let mut kinds: Vec<FenceKind> = narrower.clone().map(FenceKind::AcqRel).collect();
                if fence.is_sequential {
                    kinds.push(FenceKind::AcqRel(fence.scope));
                    kinds.extend(narrower.map(FenceKind::Sc));
                }
                let replaced = kinds.into_iter().filter_map(|kind| {
                    let range = opcode_range(text, &self.range)?;
                    Some(OrderChange::replacing(text, range, fence_opcode(module, kind)?))
                });
                self.removal(text).into_iter().chain(replaced.filter(|_| fence.memory == OrderedMemory::All)).collect()
            }
            OrderSiteKind::Access(kind, order) => {
                let weaker = [Sem::Relaxed, Sem::Release, Sem::Acquire, Sem::AcqRel];
                let orders = weaker.into_iter().filter(|sem| is_weaker_or_same(*sem, order.sem) && kind.allows(*sem));
                let all = orders.flat_map(|sem| SCOPES.into_iter().map(move |scope| AccessOrder::new(sem, scope)));
                let all = all.filter(|one| one.scope <= order.scope && !is_same(one, &order));
                all.filter_map(|one| OrderChange::access(text, module, &self.range, one)).collect()
            }
        }
    }

    /// The stronger changes with at least a scope, the cheapest first: the scope, the order.
    pub fn stronger(&self, text: &str, module: &Module, scope: Scope) -> Vec<OrderChange> {
        let (kind, order) = match self.kind {
            OrderSiteKind::Access(kind, order) => (kind, order),
            OrderSiteKind::ClusterArrive(Sem::Relaxed) => return self.release_of_arrival(text).into_iter().collect(),
            _ => return Vec::new(),
        };
        let wide = if order.sem == Sem::Weak { scope } else { scope.max(order.scope) };
        let wide = if kind.is_of_mbarrier() { wide.min(Scope::Cluster) } else { wide };
        let orders = [Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel].into_iter();
        let orders = orders.filter(|sem| is_weaker_or_same(order.sem, *sem) && kind.allows(*sem));
        let accesses = orders.map(|sem| AccessOrder::new(sem, wide)).filter(|one| !is_same(one, &order));
        accesses.filter_map(|one| OrderChange::access(text, module, &self.range, one)).collect()
    }

    /// The ordinary fences with at least a scope that can be missing before an access.
    pub fn order_fences(&self, text: &str, module: &Module, scope: Scope) -> Vec<OrderChange> {
        let OrderSiteKind::Access(kind, order) = self.kind else { return Vec::new() };
        if kind.is_of_mbarrier() {
            return Vec::new();
        }
        let wide = if order.sem == Sem::Weak { scope } else { scope.max(order.scope) };
        let fences = [FenceKind::AcqRel(wide), FenceKind::Sc(wide)].into_iter();
        fences.filter_map(|kind| OrderChange::fence(text, module, &self.range, kind)).collect()
    }

    fn release_of_arrival(&self, text: &str) -> Option<OrderChange> {
        let range = opcode_range(text, &self.range)?;
        let opcode = text.get(range.clone())?.replace(".relaxed", ".release");
        Some(OrderChange::replacing(text, range, opcode))
    }

    fn removal(&self, text: &str) -> Option<OrderChange> {
        let statement = text.get(self.range.clone())?;
        let end = if statement.ends_with(';') { self.range.end } else { self.range.end + 1 };
        (text.get(end - 1..end)? == ";")
            .then(|| OrderChange { edit: (self.range.start..end, String::new()), title: "remove it".to_owned() })
    }
}

impl OrderChange {
    fn replacing(text: &str, range: Range<usize>, opcode: String) -> Self {
        let title = format!("use `{opcode}` instead of `{}`", &text[range.clone()]);
        Self { edit: (range, opcode), title }
    }

    /// A fence before a statement.
    pub(crate) fn fence(text: &str, module: &Module, range: &Range<usize>, kind: FenceKind) -> Option<Self> {
        let edit = fence_edit(text, module, range, kind)?;
        let title = format!("insert `{}` before it", fence_opcode(module, kind)?);
        Some(Self { edit, title })
    }

    fn access(text: &str, module: &Module, range: &Range<usize>, order: AccessOrder) -> Option<Self> {
        let (range, opcode) = access_edit(text, module, range, order.sem, order.scope)?;
        Some(Self::replacing(text, range, opcode))
    }
}

impl OrderedAccess {
    const fn allows(self, sem: Sem) -> bool {
        match self {
            Self::Load | Self::Test => matches!(sem, Sem::Relaxed | Sem::Acquire),
            Self::Store | Self::Reduction | Self::Arrival => matches!(sem, Sem::Relaxed | Sem::Release),
            Self::Update => !matches!(sem, Sem::Weak),
        }
    }

    const fn is_of_mbarrier(self) -> bool {
        matches!(self, Self::Arrival | Self::Test)
    }
}

/// Whether an order allows whatever another one allows.
fn is_weaker_or_same(one: Sem, other: Sem) -> bool {
    one == other || one == Sem::Weak || other == Sem::AcqRel || one == Sem::Relaxed && other != Sem::Weak
}

/// The narrowest scope that has all threads of a launch.
pub fn launch_scope(launch: &Launch) -> Scope {
    if launch.first_host_cta().is_some() {
        return Scope::Sys;
    }
    let ctas = launch.all_sizes().map(|sizes| sizes.grid.count()).sum();
    match (ctas, launch.cluster.count()) {
        (1, _) => Scope::Cta,
        (ctas, cluster) if ctas == cluster => Scope::Cluster,
        _ => Scope::Gpu,
    }
}

/// A text with edits, which do not overlap.
pub fn with_edits(text: &str, changes: &[&OrderChange]) -> String {
    let mut changes: Vec<_> = changes.to_vec();
    // What is inserted where something is replaced is before it.
    changes.sort_by_key(|change| std::cmp::Reverse((change.edit.0.start, change.edit.0.end)));
    let mut text = text.to_owned();
    for change in changes {
        text.replace_range(change.edit.0.clone(), &change.edit.1);
    }
    text
}

//! Reads the effects of an instruction from its opcode.

use crate::effects::effect::{
    AccessKind, AddressSpace, Arrival, CopyGroup, FenceOrder, MbarrierOperation, MemoryEffect, ProxyFence, SyncAccess,
    SyncProxy,
};
use crate::values::FunctionValues;
use isa::types::{Scope, Sem};

/// The effects of an instruction, which those with the same opcode have, too. Accesses to local memory, constants and parameters are none.
pub(in crate::effects) fn effects(flow: &FunctionValues, at: usize) -> Box<[MemoryEffect]> {
    let mut effects = Vec::new();
    add_effects(flow, at, |effect| effects.push(effect));
    effects.into()
}

fn add_effects(flow: &FunctionValues, at: usize, mut add: impl FnMut(MemoryEffect)) {
    let opcode = OpcodeWords { flow, at };
    match flow.mnemonic(at) {
        "ld" | "ldu" => opcode.load(&mut add),
        "st" => opcode.store(&mut add),
        "atom" => opcode.access(AccessKind::Update, 1, &mut add),
        "red" => opcode.reduction(&mut add),
        "multimem" => opcode.multimem(&mut add),
        "ldmatrix" => add(opcode.shared(AccessKind::Read, 1)),
        "stmatrix" => add(opcode.shared(AccessKind::Write, 0)),
        "fence" | "membar" => opcode.fence(&mut add),
        "bar" | "barrier" => opcode.barrier(&mut add),
        "mbarrier" => opcode.mbarrier(&mut add),
        "cp" => opcode.copy(&mut add),
        "tensormap" => opcode.tensor_map(&mut add),
        "wgmma" => opcode.warpgroup(&mut add),
        "tcgen05" => opcode.tensor_core(&mut add),
        "griddepcontrol" if opcode.has("wait") => add(MemoryEffect::GridWait),
        "griddepcontrol" => add(MemoryEffect::GridLaunch),
        "vote" | "shfl" | "match" | "redux" | "elect" | "activemask" => add(MemoryEffect::WarpOperation),
        "clusterlaunchcontrol" if opcode.has("try_cancel") && !opcode.has("is_canceled") => {
            add(opcode.bulk(AccessKind::Write, AddressSpace::Shared, 0));
            add(MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, 1));
        }
        "call" => add(MemoryEffect::Unknown),
        _ => {}
    }
}

/// The opcode of an instruction.
struct OpcodeWords<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    at: usize,
}

impl OpcodeWords<'_, '_> {
    fn has(&self, word: &str) -> bool {
        self.flow.has(self.at, word)
    }

    fn sem(&self) -> Option<Sem> {
        self.flow.modifiers(self.at).find_map(Sem::parse).filter(|sem| *sem != Sem::Weak)
    }

    fn scope(&self) -> Option<Scope> {
        self.flow.modifiers(self.at).find_map(Scope::parse)
    }

    /// The written state spaces, in order; `None` for those without an effect on other threads.
    fn spaces(&self) -> impl Iterator<Item = Option<AddressSpace>> {
        self.flow.modifiers(self.at).filter_map(|word| match word {
            "global" => Some(Some(AddressSpace::Global)),
            "shared" | "shared::cta" => Some(Some(AddressSpace::Shared)),
            "shared::cluster" => Some(Some(AddressSpace::SharedCluster)),
            "local" => Some(None),
            _ if word.starts_with("param") || word.starts_with("const") => Some(None),
            _ => None,
        })
    }

    /// The state space of the only address.
    fn space(&self) -> Option<AddressSpace> {
        self.spaces().next().unwrap_or(Some(AddressSpace::Generic))
    }

    fn access(&self, kind: AccessKind, operand: usize, add: &mut impl FnMut(MemoryEffect)) {
        let Some(space) = self.space() else { return };
        let volatile = self.has("volatile");
        let strong = volatile || self.has("mmio") || kind == AccessKind::Update;
        let order = self.sem().or(strong.then_some(Sem::Relaxed));
        let default_scope = if kind == AccessKind::Update { Scope::Gpu } else { Scope::Sys };
        add(MemoryEffect::Access(SyncAccess {
            kind,
            proxy: if self.has("nc") { SyncProxy::NonCoherent } else { SyncProxy::Generic },
            space,
            asynchronous: false,
            order,
            scope: self.scope().unwrap_or(default_scope),
            volatile,
            operand: Some(operand),
        }));
    }

    fn load(&self, add: &mut impl FnMut(MemoryEffect)) {
        self.access(AccessKind::Read, 1, add);
    }

    fn store(&self, add: &mut impl FnMut(MemoryEffect)) {
        match self.has("async") {
            true => self.remote(AccessKind::Write, add),
            false => self.access(AccessKind::Write, 0, add),
        }
    }

    fn reduction(&self, add: &mut impl FnMut(MemoryEffect)) {
        match self.has("async") {
            true => self.remote(AccessKind::Update, add),
            false => self.access(AccessKind::Update, 0, add),
        }
    }

    /// `st.async` and `red.async`: an asynchronous access that completes on an mbarrier.
    fn remote(&self, kind: AccessKind, add: &mut impl FnMut(MemoryEffect)) {
        let Some(space) = self.space() else { return };
        add(MemoryEffect::Access(SyncAccess { asynchronous: true, operand: Some(0), ..weak(kind, space) }));
        if self.has("mbarrier::complete_tx::bytes") {
            add(MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, 2));
        }
    }

    fn multimem(&self, add: &mut impl FnMut(MemoryEffect)) {
        match self.has("ld_reduce") {
            true => self.access(AccessKind::Read, 1, add),
            false => self.access(AccessKind::Write, 0, add),
        }
    }

    fn shared(&self, kind: AccessKind, operand: usize) -> MemoryEffect {
        MemoryEffect::Access(SyncAccess { operand: Some(operand), ..weak(kind, AddressSpace::Shared) })
    }

    fn bulk(&self, kind: AccessKind, space: AddressSpace, operand: usize) -> MemoryEffect {
        MemoryEffect::Access(asynchronous(kind, space, Some(operand)))
    }

    fn fence(&self, add: &mut impl FnMut(MemoryEffect)) {
        let order = match (self.has("acquire"), self.has("release")) {
            (true, false) => FenceOrder::Acquire,
            (false, true) => FenceOrder::Release,
            _ => FenceOrder::Both,
        };
        if self.has("mbarrier_init") {
            return add(MemoryEffect::ProxyFence(ProxyFence::MbarrierInit));
        }
        if self.has("proxy") {
            let is_async = self.flow.modifiers(self.at).any(|word| word.starts_with("async"));
            return add(MemoryEffect::ProxyFence(match self.has("tensormap::generic") {
                true => ProxyFence::TensorMap(order, (order == FenceOrder::Acquire).then_some(0)),
                false if is_async => ProxyFence::Async,
                false => ProxyFence::Other,
            }));
        }
        let scope = match self.scope() {
            Some(scope) => scope,
            None if self.has("gl") => Scope::Gpu,
            None => Scope::Sys,
        };
        add(MemoryEffect::Fence(order, scope));
    }

    fn barrier(&self, add: &mut impl FnMut(MemoryEffect)) {
        let relaxed = self.has("relaxed");
        add(match () {
            () if self.has("warp") => MemoryEffect::WarpBarrier,
            () if self.has("cluster") && self.has("wait") => MemoryEffect::ClusterWait(Sem::Acquire),
            () if self.has("cluster") && relaxed => MemoryEffect::ClusterArrive(Sem::Relaxed),
            () if self.has("cluster") => MemoryEffect::ClusterArrive(Sem::Release),
            () if self.has("arrive") => MemoryEffect::CtaArrive,
            () => MemoryEffect::CtaBarrier,
        });
    }

    fn mbarrier(&self, add: &mut impl FnMut(MemoryEffect)) {
        let has = |word: &str| self.has(word);
        let values = self.flow.instruction(self.at).values.len();
        let (sem, scope) = (self.sem(), self.scope());
        let wait_order = (sem.unwrap_or(Sem::Acquire), scope.unwrap_or(Scope::Cta));
        let (operation, operand) = match () {
            () if has("init") => (MbarrierOperation::Init, 0),
            () if has("inval") => (MbarrierOperation::Invalidate, 0),
            () if has("arrive") || has("arrive_drop") => {
                let arrival = Arrival {
                    order: sem.unwrap_or(Sem::Release),
                    scope: scope.unwrap_or(Scope::Cta),
                    explicit: sem.is_some() && scope.is_some(),
                    cluster: has("shared::cluster"),
                    expects: has("expect_tx"),
                };
                (MbarrierOperation::Arrive(arrival), self.first_address().unwrap_or(values))
            }
            () if has("expect_tx") => (MbarrierOperation::ExpectTx, 0),
            () if has("complete_tx") => (MbarrierOperation::CompleteTx, 0),
            () if has("test_wait") => (MbarrierOperation::Test(wait_order.0, wait_order.1), 1),
            () if has("try_wait") => (MbarrierOperation::Try(wait_order.0, wait_order.1), 1),
            () => return,
        };
        add(MemoryEffect::Mbarrier(operation, operand));
    }

    /// The first operand in brackets.
    fn first_address(&self) -> Option<usize> {
        let operands = &self.flow.instruction(self.at).operands;
        operands.iter().position(|operand| operand.kind == syntax::OperandKind::Address)
    }

    fn copy(&self, add: &mut impl FnMut(MemoryEffect)) {
        let has = |word: &str| self.has(word);
        let groups = [
            (has("commit_group"), [CopyGroup::Commit, CopyGroup::BulkCommit]),
            (has("wait_group") && has("read"), [CopyGroup::Wait, CopyGroup::BulkWaitRead]),
            (has("wait_group"), [CopyGroup::Wait, CopyGroup::BulkWait]),
            (has("wait_all"), [CopyGroup::WaitAll, CopyGroup::BulkWait]),
        ];
        if let Some((_, group)) = groups.into_iter().find(|(matches, _)| *matches) {
            return add(MemoryEffect::Group(group[usize::from(has("bulk"))]));
        }
        if has("mbarrier") {
            return add(MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, 0));
        }
        if !has("bulk") {
            let write = SyncAccess { operand: Some(0), ..weak(AccessKind::Write, AddressSpace::Shared) };
            let read = SyncAccess { operand: Some(1), ..weak(AccessKind::Read, AddressSpace::Global) };
            return [write, read]
                .into_iter()
                .for_each(|access| add(MemoryEffect::Access(SyncAccess { asynchronous: true, ..access })));
        }
        self.bulk_copy(add);
    }

    fn bulk_copy(&self, add: &mut impl FnMut(MemoryEffect)) {
        if self.has("prefetch") {
            return;
        }
        let mut spaces = self.spaces().flatten();
        let (Some(to), Some(from)) = (spaces.next(), spaces.next()) else { return };
        let is_tensor = self.has("tensor");
        let write = if self.has("reduce") { AccessKind::Update } else { AccessKind::Write };
        if is_tensor {
            let map = usize::from(to != AddressSpace::Global);
            let read = asynchronous(AccessKind::Read, AddressSpace::Generic, Some(map));
            add(MemoryEffect::Access(SyncAccess { proxy: SyncProxy::TensorMap, ..read }));
        }
        // A tensor copy names the tensor map in place of the global address.
        if !(is_tensor && from == AddressSpace::Global) {
            add(self.bulk(AccessKind::Read, from, 1));
        }
        if !(is_tensor && to == AddressSpace::Global) {
            add(self.bulk(write, to, 0));
        }
        if self.has("mbarrier::complete_tx::bytes") {
            add(MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, if is_tensor { 2 } else { 3 }));
        }
    }

    fn tensor_map(&self, add: &mut impl FnMut(MemoryEffect)) {
        if self.has("cp_fenceproxy") {
            add(MemoryEffect::ProxyFence(ProxyFence::TensorMap(FenceOrder::Release, Some(0))));
        } else if let Some(space) = self.space() {
            add(MemoryEffect::Access(SyncAccess { operand: Some(0), ..weak(AccessKind::Write, space) }));
        }
    }

    fn warpgroup(&self, add: &mut impl FnMut(MemoryEffect)) {
        match () {
            () if self.has("fence") => add(MemoryEffect::Group(CopyGroup::WgmmaFence)),
            () if self.has("commit_group") => add(MemoryEffect::Group(CopyGroup::WgmmaCommit)),
            () if self.has("wait_group") => add(MemoryEffect::Group(CopyGroup::WgmmaWait)),
            () => {
                add(MemoryEffect::Access(asynchronous(AccessKind::Read, AddressSpace::Shared, None)));
            }
        }
    }

    fn tensor_core(&self, add: &mut impl FnMut(MemoryEffect)) {
        match () {
            () if self.has("commit") => {
                add(MemoryEffect::Group(CopyGroup::TensorCommit));
                add(MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, 0));
            }
            () if self.has("wait::ld") || self.has("wait::st") => add(MemoryEffect::Group(CopyGroup::TensorWait)),
            () if self.has("mma") || self.has("cp") => {
                add(MemoryEffect::Access(asynchronous(AccessKind::Read, AddressSpace::Shared, None)));
            }
            () => {}
        }
    }
}

/// A weak access through the generic proxy.
fn weak(kind: AccessKind, space: AddressSpace) -> SyncAccess {
    SyncAccess {
        kind,
        proxy: SyncProxy::Generic,
        space,
        asynchronous: false,
        order: None,
        scope: Scope::Cta,
        volatile: false,
        operand: None,
    }
}

/// An access of an asynchronous operation through the async proxy.
fn asynchronous(kind: AccessKind, space: AddressSpace, operand: Option<usize>) -> SyncAccess {
    SyncAccess { proxy: SyncProxy::Async, asynchronous: true, operand, ..weak(kind, space) }
}

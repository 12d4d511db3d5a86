//! The events of a thread.

use memory_model::{
    AwaitedOperation, BarrierLevel, Bits, FencedSpace, ModelProxyFence, OperationFence, Proxy, Scope, ThreadPosition,
};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Read,
    Write,
    Fence,
    ProxyFence,
    AliasFence,
    Arrive,
    Wait,
    /// Begins an asynchronous operation.
    Issue,
    /// Orders earlier events before operations that begin later and need it.
    IssueFence,
    /// The end of a wait for asynchronous operations.
    Await,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub thread: Option<usize>,
    pub place: ThreadPosition,
    pub what: What,
    pub strong: bool,
    pub acquire: bool,
    pub release: bool,
    pub sc: bool,
    pub red: bool,
    /// Whether it is an operation on an mbarrier.
    pub mbarrier: bool,
    pub scope: Scope,
    pub proxy: Proxy,
    /// What a proxy fence is restricted to.
    pub fence: Option<ModelProxyFence>,
    /// The state space of the memory.
    pub space: Option<FencedSpace>,
    pub memory: usize,
    pub address: usize,
    pub value: Bits,
    /// The index of the other half, within the thread.
    pub half: Option<usize>,
    /// The reads, by index within the thread, that it depends on.
    pub needs: BTreeSet<usize>,
    /// Which barrier, and which round.
    pub round: Option<(BarrierLevel, u64, Bits, usize)>,
    /// Whether meeting there orders memory.
    pub orders: bool,
    /// Whether it is the end of a wait that is never reached.
    pub blocked: bool,
    /// Whether its thread waits without end.
    pub endless: bool,
    /// The thread of the operation that it issues.
    pub issues: Option<usize>,
    /// The threads of the operations that it orders earlier events before.
    pub orders_before: Vec<usize>,
    /// Whether it is a fence for the initialization of mbarriers.
    pub mbarrier_init: bool,
    /// What it does if it is a fence that orders asynchronous operations alone.
    pub operation_fence: Option<OperationFence>,
    /// The threads of the operations that it waits for.
    pub awaits: Vec<AwaitedOperation>,
}

impl Event {
    /// An event with default properties.
    pub fn new(what: What, thread: Option<usize>, place: ThreadPosition) -> Self {
        Event {
            thread,
            place,
            what,
            strong: false,
            acquire: false,
            release: false,
            sc: false,
            red: false,
            mbarrier: false,
            scope: Scope::Cta,
            proxy: Proxy::Generic,
            fence: None,
            space: None,
            memory: usize::MAX,
            address: usize::MAX,
            value: 0,
            half: None,
            needs: BTreeSet::new(),
            round: None,
            orders: true,
            blocked: false,
            endless: false,
            issues: None,
            orders_before: Vec::new(),
            mbarrier_init: false,
            operation_fence: None,
            awaits: Vec::new(),
        }
    }
}

/// A value and the reads that it depends on.
pub type Dependent = (Bits, BTreeSet<usize>);

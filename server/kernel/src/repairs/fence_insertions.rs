//! Fences that a kernel can lack, between proxies, of mbarriers and of tensor memory, and the wait for an earlier kernel.

use crate::repairs::order_changes::{OrderChange, OrderSite, OrderSiteKind, OrderedAccess};
use crate::repairs::order_edits::{insertion, legal_opcode};
use isa::Module;
use isa::types::Sem;
use memory_model::{FenceKind, FencedSpace, ModelProxyFence, Proxy, Scope};

/// A kind of fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingFence {
    /// `fence.proxy.async.shared::cta`
    AsyncOfShared,
    /// `fence.proxy.async.global`
    AsyncOfGlobal,
    /// `fence.proxy.async`
    AsyncOfAll,
    /// The release and the acquire of tensor maps.
    TensorMap,
    /// `fence.mbarrier_init`
    MbarrierInit,
    /// The fences of `tcgen05`.
    TensorMemory,
    /// `griddepcontrol.wait`
    KernelWait,
}

impl OrderSite {
    /// The fences of a kind that can be missing before this instruction. What is ordered before a synchronization may lack them as well as what
    /// comes after it.
    pub fn fences(&self, text: &str, module: &Module, missing: MissingFence, scope: Scope) -> Vec<OrderChange> {
        let fence = |kind| OrderChange::fence(text, module, &self.range, kind).into_iter().collect();
        let of_async = |space| fence(FenceKind::Proxy(ModelProxyFence { space, ..ModelProxyFence::of(Proxy::Async) }));
        let can_be_async = self.is_asynchronous() || self.hands_over();
        match missing {
            MissingFence::AsyncOfShared if can_be_async => of_async(Some(FencedSpace::Shared)),
            MissingFence::AsyncOfGlobal if can_be_async => of_async(Some(FencedSpace::Global)),
            MissingFence::AsyncOfAll if can_be_async => of_async(None),
            MissingFence::MbarrierInit if matches!(self.kind, OrderSiteKind::ClusterArrive(_)) => {
                fence(FenceKind::MbarrierInit)
            }
            MissingFence::TensorMap => {
                let proxy = ["proxy", "tensormap::generic"];
                let release = [proxy[0], proxy[1], "release", scope.word()];
                let acquire = [proxy[0], proxy[1], "acquire", scope.word()];
                let release = self.hands_over().then(|| legal_opcode(module, "fence", &release)).flatten();
                let acquire =
                    || Some(format!("{} [{}], 128", legal_opcode(module, "fence", &acquire)?, self.map(text)?));
                release.or_else(acquire).and_then(|statement| self.inserting(text, &statement)).into_iter().collect()
            }
            MissingFence::TensorMemory => {
                let modifier = match self.kind {
                    OrderSiteKind::TensorMemory => "fence::after_thread_sync",
                    _ if self.hands_over() => "fence::before_thread_sync",
                    _ => return Vec::new(),
                };
                let statement = legal_opcode(module, "tcgen05", &[modifier]);
                statement.and_then(|statement| self.inserting(text, &statement)).into_iter().collect()
            }
            MissingFence::KernelWait if self.is_asynchronous() || self.is_access_or_launch() => {
                let statement = legal_opcode(module, "griddepcontrol", &["wait"]);
                statement.and_then(|statement| self.inserting(text, &statement)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    const fn is_access_or_launch(&self) -> bool {
        matches!(self.kind, OrderSiteKind::Access(..) | OrderSiteKind::KernelLaunch)
    }

    const fn is_asynchronous(&self) -> bool {
        matches!(self.kind, OrderSiteKind::Asynchronous | OrderSiteKind::TensorCopy | OrderSiteKind::TensorMemory)
    }

    /// Whether other threads can learn from it what was done before.
    const fn hands_over(&self) -> bool {
        match self.kind {
            OrderSiteKind::Access(OrderedAccess::Load | OrderedAccess::Test, _) => false,
            OrderSiteKind::Access(_, order) => !matches!(order.sem, Sem::Weak),
            OrderSiteKind::Fence(fence) => fence.releases,
            OrderSiteKind::Barrier | OrderSiteKind::ClusterArrive(_) => true,
            _ => false,
        }
    }

    /// The address of the tensor map of a copy, as it is written.
    fn map(&self, text: &str) -> Option<String> {
        let statement = text.get(self.range.clone()).filter(|_| matches!(self.kind, OrderSiteKind::TensorCopy))?;
        let statement = syntax::blank_out(statement);
        // The coordinates are in braces in the same brackets.
        let before = statement.split('{').next()?;
        Some(before.rsplit('[').next()?.trim().trim_end_matches(',').trim_end().to_owned())
    }

    fn inserting(&self, text: &str, statement: &str) -> Option<OrderChange> {
        let edit = insertion(text, &self.range, statement)?;
        Some(OrderChange { edit, title: format!("insert `{statement}` before it") })
    }
}

//! Parses operations of tensor cores, prefetches and the dependencies between kernels.
//!
//! Accumulators are locations: what a thread reads of them is known once it has waited.

use super::async_operations::{AsyncGroup, COPIED, SECOND};
use super::asynchronous::asynchronous;
use super::operands::OperandReader;
use super::reader::BYTES;
use crate::litmus::test::LitmusError;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{
    Access, AwaitedPart, FenceKind, ModelInstruction, ModelOperand, ModelProxyFence, Proxy, Scope, Sem,
};

impl OperandReader<'_, '_, '_> {
    /// Parses an operation of a tensor core, a prefetch or a dependency between kernels; `None` if it is neither.
    pub fn tensor(&mut self, words: &[&str]) -> Option<Result<ModelInstruction, LitmusError>> {
        Some(match words {
            ["cp", "async", "bulk", "prefetch", ..] => self.prefetch(),
            ["wgmma", "mma_async", ..] => self.multiply(AsyncGroup::Wgmma),
            ["wgmma", "commit_group", ..] => self.commit(AsyncGroup::Wgmma),
            ["wgmma", "wait_group", ..] => self.wait_group(AsyncGroup::Wgmma, AwaitedPart::All),
            ["wgmma", "fence", ..] => self.issue_fence(),
            ["tcgen05", "mma", ..] => self.multiply(AsyncGroup::Tcgen05),
            ["tcgen05", "cp", ..] => self.tensor_copy(),
            // `tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [b]`
            ["tcgen05", "commit", ..] => self.arrive_behind(AsyncGroup::Tcgen05, Scope::Cluster),
            ["tcgen05", "ld", ..] => self.tensor_load(),
            ["tcgen05", "st", ..] => self.tensor_store(),
            ["tcgen05", "wait::ld" | "wait::st" | "fence::before_thread_sync" | "fence::after_thread_sync", ..] => {
                self.no_effect()
            }
            ["griddepcontrol", "launch_dependents"] => self.no_effect(),
            ["griddepcontrol", "wait"] => self.wait_for_grids(),
            _ => return None,
        })
    }

    fn no_effect(&mut self) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        Ok(ModelInstruction::Await { operations: Vec::new() })
    }

    /// `wgmma.fence`: later `wgmma.mma_async` of the thread are after what is before it.
    fn issue_fence(&mut self) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        let (thread, at, _) = self.instruction_place();
        self.asynchronous_operations().fence(thread, at);
        Ok(ModelInstruction::IssueFence)
    }

    fn prefetch(&mut self) -> Result<ModelInstruction, LitmusError> {
        self.place()?;
        self.optional_constant("a size")?;
        self.no_effect()
    }

    /// `wgmma.mma_async [d], [a], [b]` and `tcgen05.mma.cta_group::1 [d], [a], [b]`: reads of shared memory through the async proxy, whose sum
    /// stands for the result. Operations of one thread on tensor memory happen in order.
    fn multiply(&mut self, group: AsyncGroup) -> Result<ModelInstruction, LitmusError> {
        let (to, a, b) = (self.place()?, self.place()?, self.place()?);
        self.end()?;
        let access = asynchronous(Sem::Weak, Scope::Gpu);
        let sum = [COPIED, SECOND].map(ModelOperand::Register);
        let mut code = self.earlier_tensor_operations(group);
        code.extend([
            ModelInstruction::Load { to: Some(COPIED), at: a, bytes: BYTES, access },
            ModelInstruction::Load { to: Some(SECOND), at: b, bytes: BYTES, access },
            ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))),
            ModelInstruction::Compute { to: COPIED, alu: Alu::litmus(AluOp::Add), a: sum[0], b: sum[1] },
            ModelInstruction::Store { at: to, value: sum[0], bytes: BYTES, access: Access::weak() },
        ]);
        Ok(self.issue(code, Some(group)))
    }

    /// `tcgen05.cp.cta_group::1 [d], [x]`: from shared memory, through the async proxy, to tensor memory.
    fn tensor_copy(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (to, from) = (self.place()?, self.place()?);
        self.end()?;
        let access = asynchronous(Sem::Weak, Scope::Gpu);
        let mut code = self.earlier_tensor_operations(AsyncGroup::Tcgen05);
        code.extend([
            ModelInstruction::Load { to: Some(COPIED), at: from, bytes: BYTES, access },
            ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))),
            ModelInstruction::Store {
                at: to,
                value: ModelOperand::Register(COPIED),
                bytes: BYTES,
                access: Access::weak(),
            },
        ]);
        Ok(self.issue(code, Some(AsyncGroup::Tcgen05)))
    }

    /// A wait for the earlier operations of the thread on tensor memory, if an operation of this kind begins after them.
    fn earlier_tensor_operations(&mut self, group: AsyncGroup) -> Vec<ModelInstruction> {
        match group {
            AsyncGroup::Tcgen05 => vec![self.await_all(AsyncGroup::Tcgen05)],
            _ => Vec::new(),
        }
    }

    fn tensor_load(&mut self) -> Result<ModelInstruction, LitmusError> {
        let to = Some(self.register()?);
        let at = self.place()?;
        self.end()?;
        Ok(ModelInstruction::Load { to, at, bytes: BYTES, access: Access::weak() })
    }

    fn tensor_store(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (at, value) = (self.place()?, self.value()?);
        self.end()?;
        Ok(ModelInstruction::Store { at, value, bytes: BYTES, access: Access::weak() })
    }

    /// `griddepcontrol.wait`: after all threads of the test without one, which are those of the earlier kernel.
    fn wait_for_grids(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (thread, at, _) = self.instruction_place();
        self.asynchronous_operations().wait_for_grids(thread, at);
        self.no_effect()
    }
}

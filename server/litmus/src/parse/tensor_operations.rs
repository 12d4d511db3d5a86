//! Parses operations of tensor cores, prefetches and the dependencies between kernels.
//!
//! Accumulators are locations: what a thread reads of them is known once it has waited.

use crate::parse::async_operations::{AsyncGroup, COPIED, SECOND, TensorPipeline, TensorPipelineKind};
use crate::parse::asynchronous::asynchronous;
use crate::parse::operands::OperandReader;
use crate::parse::reader::BYTES;
use crate::test::LitmusError;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{
    Access, AwaitedPart, FenceKind, ModelAddress, ModelInstruction, ModelOperand, ModelProxyFence, Proxy, Scope, Sem,
};

impl OperandReader<'_, '_, '_> {
    /// Parses an operation of a tensor core, a prefetch or a dependency between kernels; `None` if it is neither.
    pub fn tensor(&mut self, words: &[&str]) -> Option<Result<ModelInstruction, LitmusError>> {
        Some(match words {
            ["cp", "async", "bulk", "prefetch", ..] => self.prefetch(),
            ["wgmma", "mma_async", ..] => self.multiply(AsyncGroup::Wgmma, words),
            ["wgmma", "commit_group", ..] => self.commit(AsyncGroup::Wgmma),
            ["wgmma", "wait_group", ..] => self.wait_group(AsyncGroup::Wgmma, AwaitedPart::All),
            ["wgmma", "fence", ..] => self.issue_fence(),
            ["tcgen05", "mma", ..] => self.multiply(AsyncGroup::Tcgen05, words),
            ["tcgen05", "cp", ..] => self.tensor_copy(words),
            // `tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [b]`
            ["tcgen05", "commit", ..] => self.arrive_behind(AsyncGroup::Tcgen05, Scope::Cluster),
            ["tcgen05", "ld", ..] => self.tensor_load(),
            ["tcgen05", "st", ..] => self.tensor_store(),
            ["tcgen05", "wait::ld", ..] => self.tensor_wait(AsyncGroup::TensorLoad),
            ["tcgen05", "wait::st", ..] => self.tensor_wait(AsyncGroup::TensorStore),
            ["tcgen05", "fence::before_thread_sync"] => self.tensor_release(),
            ["tcgen05", "fence::after_thread_sync"] => self.end().map(|()| ModelInstruction::AcquireOperations),
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
    /// stands for the result.
    fn multiply(&mut self, group: AsyncGroup, words: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let (to, a, b) = (self.place()?, self.place()?, self.place()?);
        self.end()?;
        let access = asynchronous(Sem::Weak, Scope::Gpu);
        let sum = [COPIED, SECOND].map(ModelOperand::Register);
        let pipeline = match group {
            AsyncGroup::Tcgen05 => Some(pipeline(words, to, TensorPipelineKind::Product(None))),
            _ => None,
        };
        let mut code = self.executed_before(pipeline.as_ref());
        code.extend([
            ModelInstruction::Load { to: Some(COPIED), at: a, bytes: BYTES, access },
            ModelInstruction::Load { to: Some(SECOND), at: b, bytes: BYTES, access },
            ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))),
            ModelInstruction::Compute { to: COPIED, alu: Alu::litmus(AluOp::Add), a: sum[0], b: sum[1] },
            ModelInstruction::Store { at: to, value: sum[0], bytes: BYTES, access: Access::weak() },
        ]);
        Ok(self.issue_in(code, Some(group), pipeline))
    }

    /// `tcgen05.cp.cta_group::1 [d], [x]`: from shared memory, through the async proxy, to tensor memory.
    fn tensor_copy(&mut self, words: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let (to, from) = (self.place()?, self.place()?);
        self.end()?;
        let access = asynchronous(Sem::Weak, Scope::Gpu);
        let pipeline = Some(pipeline(words, to, TensorPipelineKind::Copy));
        let mut code = self.executed_before(pipeline.as_ref());
        code.extend([
            ModelInstruction::Load { to: Some(COPIED), at: from, bytes: BYTES, access },
            ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))),
            store(to, ModelOperand::Register(COPIED)),
        ]);
        Ok(self.issue_in(code, Some(AsyncGroup::Tcgen05), pipeline))
    }

    /// A wait for the earlier operations of the thread that one on tensor memory is executed after.
    fn executed_before(&mut self, pipeline: Option<&TensorPipeline>) -> Vec<ModelInstruction> {
        let thread = self.thread();
        let operations = pipeline.map(|one| self.asynchronous_operations().executed_before(thread, one));
        operations.map(|operations| ModelInstruction::Await { operations }).into_iter().collect()
    }

    /// `tcgen05.ld r, [d]`: an operation whose value the register has, although nothing waits for it.
    fn tensor_load(&mut self) -> Result<ModelInstruction, LitmusError> {
        let to = Some(self.register()?);
        let at = self.place()?;
        self.end()?;
        let result = ModelAddress::Location(self.register_location());
        let code = vec![
            ModelInstruction::Load { to: Some(COPIED), at, bytes: BYTES, access: Access::weak() },
            store(result, ModelOperand::Register(COPIED)),
        ];
        let issue = self.issue(code, Some(AsyncGroup::TensorLoad));
        self.before(issue);
        Ok(ModelInstruction::Load { to, at: result, bytes: BYTES, access: Access::weak() })
    }

    /// `tcgen05.st [d], r`: an operation that gets the value of the register.
    fn tensor_store(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (to, value) = (self.place()?, self.value()?);
        self.end()?;
        let code = match value {
            ModelOperand::Constant(_) => vec![store(to, value)],
            ModelOperand::Register(_) => {
                let passed = ModelAddress::Location(self.register_location());
                self.before(store(passed, value));
                let load =
                    ModelInstruction::Load { to: Some(COPIED), at: passed, bytes: BYTES, access: Access::weak() };
                vec![load, store(to, ModelOperand::Register(COPIED))]
            }
        };
        Ok(self.issue(code, Some(AsyncGroup::TensorStore)))
    }

    fn tensor_wait(&mut self, kind: AsyncGroup) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        let thread = self.thread();
        Ok(self.asynchronous_operations().wait_for_tensors(thread, kind))
    }

    fn tensor_release(&mut self) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        let thread = self.thread();
        Ok(self.asynchronous_operations().release_tensors(thread))
    }

    /// `griddepcontrol.wait`: after all threads of the test without one, which are those of the earlier kernel.
    fn wait_for_grids(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (thread, at, _) = self.instruction_place();
        self.asynchronous_operations().wait_for_grids(thread, at);
        self.no_effect()
    }
}

/// What an operation has in common with those that it is executed after.
fn pipeline(words: &[&str], written: ModelAddress, kind: TensorPipelineKind) -> TensorPipeline {
    let group = words.iter().find(|word| word.starts_with("cta_group")).map(|word| (*word).to_owned());
    TensorPipeline { group, written, kind }
}

fn store(at: ModelAddress, value: ModelOperand) -> ModelInstruction {
    ModelInstruction::Store { at, value, bytes: BYTES, access: Access::weak() }
}

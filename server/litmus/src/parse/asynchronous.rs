//! Parses asynchronous operations, the waits for them, and mbarriers.
//!
//! An operation becomes a thread of its own. Its accesses are to whole locations: the size of a copy only counts as bytes of a transaction.

use crate::parse::async_operations::{AsyncGroup, AsyncOperation, COPIED, SECOND, TensorPipeline};
use crate::parse::operands::OperandReader;
use crate::parse::reader::BYTES;
use crate::test::LitmusError;
use isa::types::{Op, Type};
use kernel::repairs::modifiers;
use memory_model::mbarrier::MbarrierState;
use memory_model::{
    Access, AwaitedPart, Bits, FenceKind, ModelAddress, ModelInstruction, ModelOperand, ModelProxyFence, Proxy, Scope,
    Sem, Update,
};
use values::{AccessedSpace, Operation, Shape, Subnormals};

impl OperandReader<'_, '_, '_> {
    /// Parses an asynchronous operation, or an instruction for groups or mbarriers; `None` if it is neither.
    pub fn asynchronous(&mut self, words: &[&str]) -> Option<Result<ModelInstruction, LitmusError>> {
        Some(match words {
            ["cp", "async", "bulk", "commit_group"] => self.commit(AsyncGroup::Bulk),
            ["cp", "async", "commit_group"] => self.commit(AsyncGroup::Copy),
            ["cp", "async", "bulk", "wait_group"] => self.wait_group(AsyncGroup::Bulk, AwaitedPart::All),
            ["cp", "async", "bulk", "wait_group", "read"] => self.wait_group(AsyncGroup::Bulk, AwaitedPart::Reads),
            ["cp", "async", "wait_group"] => self.wait_group(AsyncGroup::Copy, AwaitedPart::All),
            ["cp", "async", "wait_all"] => self.wait_all(),
            ["cp", "async", "mbarrier", "arrive", "noinc", ..] => self.arrive_behind(AsyncGroup::Copy, Scope::Cta),
            ["cp", "async", "bulk", rest @ ..] => self.bulk(rest, None),
            ["cp", "async", "ca" | "cg", ..] => self.copy(),
            ["cp", "reduce", "async", "bulk", rest @ ..] => {
                self.operation(rest).and_then(|update| self.bulk(rest, Some(update)))
            }
            ["st", "async", rest @ ..] => self.remote(rest, None),
            ["red", "async", rest @ ..] => self.operation(rest).and_then(|update| self.remote(rest, Some(update))),
            ["mbarrier", "init", ..] => self.mbarrier_init(),
            ["mbarrier", "arrive", rest @ ..] => self.mbarrier_arrive(rest),
            ["mbarrier", "expect_tx", rest @ ..] => self.mbarrier_expect(rest),
            ["mbarrier", "test_wait" | "try_wait", rest @ ..] => self.mbarrier_test(rest),
            _ => return None,
        })
    }

    pub fn commit(&mut self, kind: AsyncGroup) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        let thread = self.thread();
        self.asynchronous_operations().commit(thread, kind);
        Ok(ModelInstruction::Await { operations: Vec::new() })
    }

    pub fn wait_group(&mut self, kind: AsyncGroup, part: AwaitedPart) -> Result<ModelInstruction, LitmusError> {
        let left = self.constant("the number of groups that may be pending")?;
        self.end()?;
        let thread = self.thread();
        let all = self.asynchronous_operations();
        let before = all.committed(thread, kind).saturating_sub(left as usize);
        Ok(ModelInstruction::Await { operations: all.awaited(thread, kind, before, part) })
    }

    fn wait_all(&mut self) -> Result<ModelInstruction, LitmusError> {
        self.end()?;
        Ok(self.await_all(AsyncGroup::Copy))
    }

    /// A wait for all operations of a kind of the thread, committed or not.
    pub fn await_all(&mut self, kind: AsyncGroup) -> ModelInstruction {
        let thread = self.thread();
        let all = self.asynchronous_operations();
        let operations = all.awaited(thread, kind, usize::MAX, AwaitedPart::All);
        ModelInstruction::Await { operations }
    }

    /// `cp.async.ca.shared.global [y], [x], 8`, through the generic proxy.
    fn copy(&mut self) -> Result<ModelInstruction, LitmusError> {
        let (to, from) = (self.place()?, self.place()?);
        self.constant("a size")?;
        self.end()?;
        Ok(self.issue(copied(to, from, Access::weak()).into(), Some(AsyncGroup::Copy)))
    }

    /// An arrival after all earlier operations of a kind of the thread.
    pub fn arrive_behind(&mut self, kind: AsyncGroup, scope: Scope) -> Result<ModelInstruction, LitmusError> {
        let at = self.place()?;
        self.end()?;
        let arrive = mbarrier(at, 1, 0, Access::strong(Sem::Release, scope), None);
        let mut code = match kind {
            AsyncGroup::Tcgen05 => {
                let thread = self.thread();
                self.asynchronous_operations().before_commit(thread)
            }
            _ => vec![self.await_all(kind)],
        };
        code.push(arrive);
        Ok(self.issue(code, None))
    }

    /// A bulk copy or reduction. The read of its source and its completion each are followed by a proxy fence. With `.tensor`, the location in
    /// global memory is a tensor map, which holds the address of what is copied.
    fn bulk(&mut self, words: &[&str], update: Option<Update>) -> Result<ModelInstruction, LitmusError> {
        let (mut to, mut from) = (self.place()?, self.place()?);
        let bytes = self.constant("a size")?;
        let mut code = Vec::new();
        if words.contains(&"tensor") {
            let map = if words.iter().find(|word| is_space(word)) == Some(&"global") { &mut to } else { &mut from };
            let access = Access { proxy: Proxy::Tensormap, ..Access::weak() };
            code.push(ModelInstruction::Load { to: Some(SECOND), at: *map, bytes: BYTES, access });
            *map = ModelAddress::Register(SECOND, 0);
        }
        let fence = ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async)));
        let [read, mut write] = copied(to, from, asynchronous(Sem::Weak, Scope::Gpu));
        if let Some(update) = update {
            write = reduced(to, update, ModelOperand::Register(COPIED), Scope::Gpu);
        }
        code.extend([read, fence.clone(), write, fence]);
        if words.contains(&"bulk_group") {
            self.end()?;
            return Ok(self.issue(code, Some(AsyncGroup::Bulk)));
        }
        self.complete(words, code, bytes)
    }

    /// `st.async` and `red.async`.
    fn remote(&mut self, words: &[&str], update: Option<Update>) -> Result<ModelInstruction, LitmusError> {
        let (to, value) = (self.place()?, ModelOperand::Constant(self.constant("a number")?));
        let access = asynchronous(Sem::Weak, Scope::Gpu);
        let write = match update {
            Some(update) => reduced(to, update, value, Scope::Cluster),
            None => ModelInstruction::Store { at: to, value, bytes: BYTES, access },
        };
        let code = vec![write, ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async)))];
        self.complete(words, code, BYTES.into())
    }

    /// An operation that completes with a transaction on an mbarrier.
    fn complete(
        &mut self,
        words: &[&str],
        code: Vec<ModelInstruction>,
        bytes: Bits,
    ) -> Result<ModelInstruction, LitmusError> {
        if !words.contains(&"mbarrier::complete_tx::bytes") {
            let help = "add `.mbarrier::complete_tx::bytes`, or `.bulk_group` if it writes to global memory";
            return Err(self.opcode_error("missing completion mechanism", help));
        }
        let signal = |at: ModelAddress| {
            mbarrier(at, 0, bytes.wrapping_neg(), Access::strong(Sem::Release, Scope::Cluster), None)
        };
        let at = self.place()?;
        let mut operations: Vec<Vec<_>> = vec![code.iter().cloned().chain([signal(at)]).collect()];
        while words.contains(&"multicast::cluster") && self.next_operand().is_some() {
            let (to, at) = (self.place()?, self.place()?);
            let mut copy: Vec<_> = code.iter().cloned().chain([signal(at)]).collect();
            for instruction in &mut copy {
                if let ModelInstruction::Store { at, .. } = instruction {
                    *at = to;
                }
            }
            operations.push(copy);
        }
        self.end()?;
        // Each destination is an operation of its own, issued by an instruction of its own.
        let last = operations.pop().unwrap_or_default();
        for code in operations {
            let issue = self.issue(code, None);
            self.before(issue);
        }
        Ok(self.issue(last, None))
    }

    fn mbarrier_init(&mut self) -> Result<ModelInstruction, LitmusError> {
        let at = self.place()?;
        let state = MbarrierState::new(self.constant("a number of arrivals")?).bits();
        self.end()?;
        let value = ModelOperand::Constant(state);
        Ok(ModelInstruction::Store { at, value, bytes: BYTES, access: Access::weak() })
    }

    /// `mbarrier.arrive r0, [b]{, COUNT}`, `mbarrier.arrive.expect_tx r0, [b], BYTES`.
    fn mbarrier_arrive(&mut self, words: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let access = self.mbarrier_access(words, Sem::Release)?;
        let sink = self.next_operand().is_some_and(|token| token.text == "_");
        let to = if sink { self.word("a register").map(|_| None)? } else { Some(self.register()?) };
        let at = self.place()?;
        let operand = self.optional_constant("a number")?;
        self.end()?;
        Ok(match (words.contains(&"expect_tx"), operand) {
            (true, Some(bytes)) => mbarrier(at, 1, bytes, access, to),
            (true, None) => return Err(self.opcode_error("missing number of bytes", "add it after the mbarrier")),
            (false, count) => mbarrier(at, count.unwrap_or(1), 0, access, to),
        })
    }

    fn mbarrier_expect(&mut self, words: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let access = self.mbarrier_access(words, Sem::Relaxed)?;
        let at = self.place()?;
        let bytes = self.constant("a number of bytes")?;
        self.end()?;
        Ok(mbarrier(at, 0, bytes, access, None))
    }

    /// `mbarrier.test_wait r0, [b], r1` with a state, `mbarrier.test_wait.parity r0, [b], 0` with the parity of a phase.
    fn mbarrier_test(&mut self, words: &[&str]) -> Result<ModelInstruction, LitmusError> {
        let access = self.mbarrier_access(words, Sem::Acquire)?;
        let to = self.register()?;
        let at = self.place()?;
        let phase = match words.contains(&"parity") {
            true => ModelOperand::Constant(MbarrierState::in_phase(self.constant("a parity")?)),
            false => self.value()?,
        };
        self.end()?;
        Ok(ModelInstruction::TestPhase { to, at, bytes: BYTES, phase, access })
    }

    fn mbarrier_access(&self, words: &[&str], default: Sem) -> Result<Access, LitmusError> {
        let mut access = Access::strong(default, Scope::Cta);
        for word in words {
            if let Some(scope) = Scope::parse(word) {
                access.scope = scope;
            } else if let Some((order, _)) = modifiers::order(word) {
                if order != default && order != Sem::Relaxed {
                    return Err(self.opcode_error(
                        &format!("`.{word}` is not allowed on this instruction"),
                        "arrivals are `.release`, waits `.acquire`, and both can be `.relaxed`",
                    ));
                }
                access.order = order;
            } else if !matches!(*word, "shared" | "shared::cta" | "shared::cluster" | "b64" | "parity" | "expect_tx") {
                return Err(self.opcode_error(&format!("unexpected modifier `.{word}`"), "remove it"));
            }
        }
        Ok(access)
    }

    /// The operation of a reduction.
    fn operation(&self, words: &[&str]) -> Result<Update, LitmusError> {
        let op = words.iter().find_map(|word| Op::parse(word));
        let ty = words.iter().find_map(|word| Type::parse(word)).unwrap_or(Type::U64);
        let operation = op
            .zip(Shape::new(ty, 1))
            .and_then(|(op, shape)| Operation::new(op, shape, Subnormals::Default, AccessedSpace::Global).ok());
        operation
            .map(Update::Ptx)
            .ok_or_else(|| self.opcode_error("missing or unsupported operation", "write `.add.u64`"))
    }

    /// A location: what an operation accesses must not depend on registers.
    pub fn place(&mut self) -> Result<ModelAddress, LitmusError> {
        match self.address()? {
            ModelAddress::Register(..) => {
                Err(self.opcode_error("address in a register", "write the location itself, such as `[x]`"))
            }
            at => Ok(at),
        }
    }

    pub fn optional_constant(&mut self, what: &str) -> Result<Option<Bits>, LitmusError> {
        if self.next_operand().is_none() { Ok(None) } else { self.constant(what).map(Some) }
    }

    pub fn constant(&mut self, what: &str) -> Result<Bits, LitmusError> {
        match self.value()? {
            ModelOperand::Constant(value) => Ok(value),
            ModelOperand::Register(_) => {
                Err(self.opcode_error(&format!("expected {what}, found a register"), "write a number"))
            }
        }
    }

    /// The issue of an operation.
    pub fn issue(&mut self, code: Vec<ModelInstruction>, group: Option<AsyncGroup>) -> ModelInstruction {
        self.issue_in(code, group, None)
    }

    /// The issue of an operation on tensor memory that others may be executed after in the order of their issue.
    pub fn issue_in(
        &mut self,
        code: Vec<ModelInstruction>,
        group: Option<AsyncGroup>,
        pipeline: Option<TensorPipeline>,
    ) -> ModelInstruction {
        let (issuer, at, range) = self.instruction_place();
        let all = self.asynchronous_operations();
        let issue_order = all.issue_order(issuer, group);
        let group = group.map(|kind| (kind, all.committed(issuer, kind)));
        let thread = all.add(AsyncOperation { issuer, at, range, code, group, issue_order, pipeline });
        ModelInstruction::Issue { thread }
    }
}

/// An access through the async proxy.
pub fn asynchronous(order: Sem, scope: Scope) -> Access {
    Access { order, scope, proxy: Proxy::Async }
}

/// Whether a word is a state space.
fn is_space(word: &str) -> bool {
    matches!(word, "global" | "shared::cta" | "shared::cluster")
}

/// The read and the write of a copy.
fn copied(to: ModelAddress, from: ModelAddress, access: Access) -> [ModelInstruction; 2] {
    [
        ModelInstruction::Load { to: Some(COPIED), at: from, bytes: BYTES, access },
        ModelInstruction::Store { at: to, value: ModelOperand::Register(COPIED), bytes: BYTES, access },
    ]
}

/// The update of a reduction.
fn reduced(at: ModelAddress, update: Update, b: ModelOperand, scope: Scope) -> ModelInstruction {
    let (access, c) = (asynchronous(Sem::Relaxed, scope), ModelOperand::Constant(0));
    ModelInstruction::Update { to: None, at, update, b, c, bytes: BYTES, access, reduction: true }
}

/// Arrivals at an mbarrier, and more bytes to expect.
pub fn mbarrier(at: ModelAddress, arrivals: Bits, bytes: Bits, access: Access, to: Option<usize>) -> ModelInstruction {
    let [b, c] = [arrivals, bytes].map(ModelOperand::Constant);
    ModelInstruction::Update { to, at, update: Update::Mbarrier, b, c, bytes: BYTES, access, reduction: true }
}

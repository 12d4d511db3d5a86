//! What accesses memory and what orders it.
//!
//! Must not know where addresses come from.

use super::cut;
use super::source_instruction::SourceInstruction;
use super::thread::Lower;
use crate::litmus::modifiers;
use crate::litmus::test::LitmusError;
use emulator::{AccessedSpace as Space, Computation};
use isa::{Resolution, Spelling};
use memory_model::{Access, BarrierLevel, ModelInstruction, ModelOperand, NO_ID, Proxy, Scope, Sem, Update};

impl Lower<'_> {
    /// A load or a store.
    pub fn access(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        let Some(ty) = written.ty() else { return Err(written.unknown()) };
        if ["v2", "v4", "v8", "const", "local"].iter().any(|word| written.has(word)) {
            return Err(written.unknown());
        }
        let bytes = ty.bits() / 8;
        let access = access(written, Sem::Weak);
        if written.mnemonic() == "ld" {
            let to = self.destination(written)?;
            let at = self.address(written, 1, bytes)?;
            self.push(written, ModelInstruction::Load { to: Some(to), at, bytes, access });
        } else {
            let at = self.address(written, 0, bytes)?;
            let value = match self.operand(written, 1)? {
                ModelOperand::Constant(value) => ModelOperand::Constant(cut(value, bytes * 8)),
                register => register,
            };
            self.push(written, ModelInstruction::Store { at, value, bytes, access });
        }
        Ok(())
    }

    /// An `atom` or a `red`.
    pub fn update(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        let spelling = Spelling { mnemonic: written.mnemonic(), modifiers: &written.modifiers() };
        let Resolution::Legal(instruction) = isa::resolve(&spelling, &isa::Module::default()) else {
            return Err(written.unknown());
        };
        let computation = Computation::of(&instruction, Space::Global);
        let Ok(Computation::Update { operation, returns }) = computation else { return Err(written.unknown()) };
        if instruction.lanes > 1 {
            return Err(written.unknown());
        }
        let bytes = operation.shape().bytes();
        let access = access(written, Sem::Relaxed);
        let first = usize::from(returns);
        let to = match returns {
            true if written.operands.first().is_some_and(|(text, _)| text != "_") => Some(self.destination(written)?),
            _ => None,
        };
        let at = self.address(written, first, bytes)?;
        let b = self.operand(written, first + 1)?;
        let c = match operation.op() {
            isa::types::Op::Cas => self.operand(written, first + 2)?,
            _ => ModelOperand::Constant(0),
        };
        let update = Update::Ptx(operation);
        self.push(written, ModelInstruction::Update { to, at, update, b, c, bytes, access, reduction: !returns });
        Ok(())
    }

    pub fn fence(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        let reach = match (written.mnemonic(), &written.modifiers()[..]) {
            ("membar", [level]) => modifiers::membar(level),
            ("membar", ["proxy", ..]) | ("fence", _) => modifiers::fence(&written.modifiers()),
            _ => None,
        };
        let reach = reach.ok_or_else(|| written.unknown())?;
        self.push(written, ModelInstruction::Fence(reach));
        Ok(())
    }

    pub fn barrier(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        let level = if written.has("cluster") { BarrierLevel::Cluster } else { BarrierLevel::Cta };
        let mode = written.modifiers().into_iter().find_map(modifiers::mode).ok_or_else(|| written.unknown())?;
        let id = match level {
            BarrierLevel::Cta => self.operand(written, 0)?,
            BarrierLevel::Cluster => ModelOperand::Constant(NO_ID),
        };
        // Counts are of whole warps, and a thread of a test stands for one thread: all that are named take part.
        let orders = !written.has("relaxed");
        self.push(written, ModelInstruction::Barrier { level, instance: 0, id, quorum: None, mode, orders });
        Ok(())
    }
}

/// The qualifiers of a memory operation. Volatile accesses are relaxed in the system scope.
fn access(written: &SourceInstruction, silent: Sem) -> Access {
    let (mut order, mut scope) = (silent, Scope::Gpu);
    for word in written.modifiers() {
        if let Some(known) = Scope::parse(word) {
            scope = known;
        }
        if let Some((known, also)) = modifiers::order(word) {
            (order, scope) = (known, also.unwrap_or(scope));
        }
    }
    Access { order, scope, proxy: Proxy::Generic }
}

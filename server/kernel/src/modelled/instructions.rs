//! What each instruction does in a program of the memory model.

use crate::modelled::launched_thread::TRAP_BYTES;
use crate::modelled::thread::{GuardedEffect, Held, Next, ThreadWriter};
use crate::modelled::thread_code::{ModelledTrap, NO_OPERAND, ThreadCode};
use memory_model::{Access, BarrierLevel, BarrierMode, Bits, FenceKind, ModelAddress, ModelInstruction, ModelOperand};
use program::{
    AddressConversion, BarrierAction, BarrierInstruction, CallTarget, CtaBarrierInstruction, Destination,
    FenceSemantics, MachineAction, MemorySpace, OrderedMemory, ScalarAction, SecondTarget, Source, SystemFunction,
    WARP_SIZE,
};
use values::value::low_bits;

/// The operands of a computation: constants and registers of the model.
type Operands = [ModelOperand; 4];

impl ThreadWriter<'_> {
    /// Translates an instruction; `None` if it has no translation.
    pub fn write(&mut self, action: &MachineAction, at: u32) -> Option<Next> {
        match action {
            MachineAction::Nothing => {}
            MachineAction::Scalar(scalar) => self.scalar(scalar)?,
            MachineAction::Move(to, source) => self.compute(*to, [*source], |[value, ..]| value)?,
            MachineAction::Pack(to, parts) => self.pack(*to, parts)?,
            MachineAction::Unpack(source, parts) => self.unpack(*source, parts)?,
            MachineAction::ReadSpecial(to, register) => {
                let value = self.thread.special(*register)?;
                self.define(*to, value)?;
            }
            MachineAction::ConvertAddress(to, source, conversion) => self.convert(*to, *source, *conversion)?,
            MachineAction::Load(load) => self.load(load)?,
            MachineAction::Store(store) => self.store(store)?,
            MachineAction::Atomic(atomic) => self.atomic(atomic)?,
            MachineAction::Fence(fence) => self.out.push(ModelInstruction::Fence(fence_kind(*fence)?))?,
            MachineAction::Barrier(barrier) => self.barrier(barrier)?,
            MachineAction::Branch(target) => return Some(Next::At(*target)),
            MachineAction::BranchIndexed(source, targets) => {
                let Held::Known(index) = self.held(*source)? else { return None };
                return targets.get(usize::try_from(index).ok()?).map(|target| Next::At(*target));
            }
            MachineAction::Exit | MachineAction::Return => return Some(Next::End),
            MachineAction::Trap => return self.trap(at),
            MachineAction::Call(call) => {
                let is_assertion = matches!(call.target, CallTarget::System(SystemFunction::AssertionFailed));
                return if is_assertion { self.trap(at) } else { None };
            }
            MachineAction::IsSpace(..)
            | MachineAction::MapToRank(..)
            | MachineAction::RankOf(..)
            | MachineAction::ProxyFence(_)
            | MachineAction::AcquireTensorMap(_)
            | MachineAction::WaitForEarlierKernel
            | MachineAction::LaunchDependents
            | MachineAction::Collective(_)
            | MachineAction::Matrix(_)
            | MachineAction::Warpgroup(_)
            | MachineAction::Tensor(_)
            | MachineAction::Mbarrier(_)
            | MachineAction::Fill(_)
            | MachineAction::CancelLaunch(_)
            | MachineAction::LearnAnswer(_)
            | MachineAction::Copy(_)
            | MachineAction::TensorCopy(_)
            | MachineAction::TensorMap(_)
            | MachineAction::Image(_)
            | MachineAction::CopyGroup(_)
            | MachineAction::AllocateLocal(..)
            | MachineAction::Unsupported(_) => return None,
        }
        Some(Next::Following)
    }

    /// What an operand holds; `None` if nothing has written it.
    pub fn held(&self, source: Source) -> Option<Held> {
        match source {
            Source::Constant(constant) => Some(Held::Known(self.thread.function.constants[constant as usize][0])),
            Source::Register(slot) => self.registers.get(&slot).copied(),
        }
    }

    pub fn operand(&mut self, source: Source) -> Option<ModelOperand> {
        Some(match (self.held(source)?, source) {
            (Held::Known(value), _) => ModelOperand::Constant(value.into()),
            (Held::Computed, Source::Register(slot)) => ModelOperand::Register(self.out.register(slot)),
            (Held::Computed, Source::Constant(_)) => return None,
        })
    }

    /// Sets a register to what is the same in all executions.
    pub fn define(&mut self, Destination { slot, mask }: Destination, value: u64) -> Option<()> {
        let value = value & mask;
        if self.effect == GuardedEffect::Guarded {
            let register = self.out.register(slot);
            return self.out.set(register, value);
        }
        self.registers.insert(slot, Held::Known(value));
        Some(())
    }

    /// The register of the model for a result.
    pub fn result(&mut self, to: Destination) -> usize {
        self.registers.insert(to.slot, Held::Computed);
        self.out.register(to.slot)
    }

    /// Computes a register from others.
    fn compute<const N: usize>(
        &mut self,
        to: Destination,
        sources: [Source; N],
        function: impl Fn([u64; 4]) -> u64 + Send + Sync + 'static,
    ) -> Option<()> {
        let mut operands: Operands = [NO_OPERAND; 4];
        for (operand, source) in operands.iter_mut().zip(sources) {
            *operand = self.operand(source)?;
        }
        if let Some(values) = constants(operands) {
            return self.define(to, function(values));
        }
        let register = self.result(to);
        let mask = to.mask;
        self.out.apply(register, operands, move |values| Bits::from(function(values.map(|value| value as u64)) & mask))
    }

    fn scalar(&mut self, action: &ScalarAction) -> Option<()> {
        let ScalarAction { operation, sources, destination, second } = action;
        if let SecondTarget::Carry(slot) = *second {
            return self.carrying(action, slot);
        }
        let is_read = |to: Destination| sources.contains(&Source::Register(to.slot));
        if let SecondTarget::Register(to) = *second {
            if destination.is_some_and(is_read) || is_read(to) {
                return None;
            }
            let function = operation.clone();
            self.compute(to, *sources, move |values| function.compute(values, false).second)?;
        }
        let Some(to) = *destination else { return Some(()) };
        let function = operation.clone();
        self.compute(to, *sources, move |values| function.compute(values, false).value)
    }

    /// An instruction with the carry flag, whose operands have to be the same in all executions.
    fn carrying(
        &mut self,
        ScalarAction { operation, sources, destination, .. }: &ScalarAction,
        slot: u32,
    ) -> Option<()> {
        let mut values = [0; 4];
        for (value, source) in values.iter_mut().zip(sources) {
            let Held::Known(known) = self.held(*source)? else { return None };
            *value = known;
        }
        let carry = match self.registers.get(&slot) {
            Some(Held::Known(carry)) => *carry & 1 == 1,
            None if !operation.reads_carry() => false,
            _ => return None,
        };
        let result = operation.compute(values, carry);
        self.define(Destination { slot, mask: 1 }, result.second)?;
        destination.map_or(Some(()), |to| self.define(to, result.value))
    }

    fn pack(&mut self, to: Destination, parts: &[(Source, u32)]) -> Option<()> {
        if parts.len() > 4 || parts.iter().map(|(_, bits)| bits).sum::<u32>() > u64::BITS {
            return None;
        }
        let widths: Vec<u32> = parts.iter().map(|(_, bits)| *bits).collect();
        let mut sources = [parts.first()?.0; 4];
        sources.iter_mut().zip(parts).for_each(|(source, (part, _))| *source = *part);
        self.compute(to, sources, move |values| {
            let (mut packed, mut shift) = (0, 0);
            for (value, bits) in values.iter().zip(&widths) {
                packed |= (value & low_bits(*bits) as u64) << shift;
                shift += bits;
            }
            packed
        })
    }

    fn unpack(&mut self, source: Source, parts: &[(Option<Destination>, u32)]) -> Option<()> {
        let overwrites = parts.iter().any(|(part, _)| part.is_some_and(|to| source == Source::Register(to.slot)));
        if overwrites || parts.iter().map(|(_, bits)| bits).sum::<u32>() > u64::BITS {
            return None;
        }
        let mut shift = 0;
        for (part, bits) in parts {
            let by = shift;
            if let Some(to) = *part {
                self.compute(to, [source], move |[value, ..]| value >> by)?;
            }
            shift += bits;
        }
        Some(())
    }

    fn convert(&mut self, to: Destination, source: Source, conversion: AddressConversion) -> Option<()> {
        let window = self.thread.addresses.shared_window();
        match conversion {
            AddressConversion::FromSpace(MemorySpace::SharedCta) => {
                return self.compute(to, [source], move |[value, ..]| window + (value & u64::from(u32::MAX)));
            }
            AddressConversion::ToSpace(MemorySpace::SharedCta) => {
                return self.compute(to, [source], move |[value, ..]| value.wrapping_sub(window));
            }
            _ => {}
        }
        let is_same = matches!(
            conversion,
            AddressConversion::FromSpace(MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic)
                | AddressConversion::ToSpace(MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic)
        );
        if is_same { self.compute(to, [source], |[value, ..]| value) } else { None }
    }

    /// A barrier of all threads of the CTA, or of lanes of a warp. Who waits for it has to be the same in all executions.
    fn barrier(&mut self, barrier: &BarrierInstruction) -> Option<()> {
        if self.out.has_branched {
            return None;
        }
        let (instance, id) = match barrier {
            BarrierInstruction::Cta(CtaBarrierInstruction { barrier, threads, mode, .. }) => {
                let BarrierAction::Wait = mode else { return None };
                let Held::Known(id) = self.held(*barrier)? else { return None };
                if let Some(threads) = *threads {
                    let all = self.thread.launch.block.count().next_multiple_of(WARP_SIZE.into());
                    if self.held(threads)? != Held::Known(all) {
                        return None;
                    }
                }
                (0, id)
            }
            BarrierInstruction::Warp(mask) => {
                let Held::Known(mask) = self.held(*mask)? else { return None };
                (1 + u64::from(self.thread.id.thread / WARP_SIZE), mask & u64::from(u32::MAX))
            }
            BarrierInstruction::ClusterArrive(..) | BarrierInstruction::ClusterWait(_) => return None,
        };
        self.out.barriers.push((instance, id));
        self.out.push(ModelInstruction::Barrier {
            level: BarrierLevel::Cta,
            instance,
            id: ModelOperand::Constant(id.into()),
            quorum: None,
            mode: BarrierMode::Sync,
            orders: true,
        })
    }

    /// Notes that the thread has come to a trap, and ends it.
    fn trap(&mut self, at: u32) -> Option<Next> {
        let id = self.thread.id;
        // No memory has such addresses.
        let number = (u64::from(id.cta) << 8) + u64::from(id.thread);
        let address = (u64::MAX << 56) + (number << 40) + u64::from(at) * u64::from(TRAP_BYTES);
        if !self.out.traps.iter().any(|trap| trap.address == address) {
            self.out.traps.push(ModelledTrap { place: self.place(at), address });
        }
        self.out.push(ModelInstruction::Store {
            at: ModelAddress::Register(ThreadCode::ZERO, address as i64),
            value: ModelOperand::Constant(1),
            bytes: TRAP_BYTES,
            access: Access::weak(),
        })?;
        Some(Next::End)
    }
}

/// The values of operands, if all of them are constants.
fn constants(operands: Operands) -> Option<[u64; 4]> {
    let mut values = [0; 4];
    for (value, operand) in values.iter_mut().zip(operands) {
        let ModelOperand::Constant(constant) = operand else { return None };
        *value = constant as u64;
    }
    Some(values)
}

fn fence_kind(fence: FenceSemantics) -> Option<FenceKind> {
    let FenceSemantics { releases, acquires, scope, is_sequential, memory } = fence;
    if memory != OrderedMemory::All {
        return None;
    }
    match (is_sequential, releases, acquires) {
        (true, ..) => Some(FenceKind::Sc(scope)),
        (false, true, true) => Some(FenceKind::AcqRel(scope)),
        (false, true, false) => Some(FenceKind::Release(scope)),
        (false, false, true) => Some(FenceKind::Acquire(scope)),
        (false, false, false) => None,
    }
}

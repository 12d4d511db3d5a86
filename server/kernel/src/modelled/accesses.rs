//! What loads, stores and atomics do in a program of the memory model.

use crate::modelled::launched_thread::{ModelledWord, is_writable};
use crate::modelled::thread::{Held, ThreadWriter};
use crate::modelled::thread_code::{NO_OPERAND, ThreadCode};
use memory_model::{Access, Bits, ModelAddress, ModelInstruction, ModelOperand, Sem, Update};
use program::{
    AccessOrder, AccessProxy, Atomic, Destination, Extension, Load, MachineAccessKind, MachineAddress, MemorySpace,
    OrderSpelling, Source, Store, VectorParts,
};
use values::value::low_bits;

/// The address of an access.
enum AccessedAddress {
    /// A word that is the same in all executions.
    Word(u64),
    /// It depends on reads.
    Computed(ModelAddress),
}

impl ThreadWriter<'_> {
    pub fn load(&mut self, load: &Load) -> Option<()> {
        let Load { address, element_bytes: bytes, elements, extension, order, proxy, parts } = load;
        if *parts != VectorParts::Elements
            || *proxy != AccessProxy::Generic
            || elements.len() > 1 && self.overwrites_base(*address, elements)
        {
            return None;
        }
        self.check_place(*address, (*bytes, elements.len()))?;
        for (element, to) in elements.iter().enumerate() {
            let offset = element as i64 * i64::from(*bytes);
            if let Some(value) = self.constant_memory(*address, offset, *bytes) {
                let value = extension.extend(value, *bytes);
                to.map_or(Some(()), |to| self.define(to, value))?;
                continue;
            }
            let at = self.address(*address, (offset, *bytes), MachineAccessKind::Read)?;
            let register = to.map(|to| self.result(to));
            let access = access(*order);
            self.out.push(ModelInstruction::Load { to: register, at, bytes: *bytes, access })?;
            if let (Some(to), Some(register), Extension::Sign) = (*to, register, *extension) {
                let (bytes, mask) = (*bytes, to.mask);
                let operands = [ModelOperand::Register(register), NO_OPERAND, NO_OPERAND, NO_OPERAND];
                self.out.apply(register, operands, move |[value, ..]| {
                    Bits::from(Extension::Sign.extend(value as u64, bytes) & mask)
                })?;
            }
        }
        Some(())
    }

    fn overwrites_base(&self, address: MachineAddress, elements: &[Option<Destination>]) -> bool {
        elements.iter().flatten().any(|to| address.base == Source::Register(to.slot))
    }

    /// Whether an access to so many elements of so many bytes is aligned, and in the space that its instruction names; `None` if it is not, or if
    /// that depends on reads.
    fn check_place(&self, address: MachineAddress, (bytes, elements): (u32, usize)) -> Option<()> {
        let thread = self.thread;
        let is_right = match (self.held(address.base)?, address.space) {
            (Held::Known(base), space) => {
                let (at, size) = (address.of(base), u64::from(bytes) * elements as u64);
                let is_there = match space {
                    MemorySpace::Parameter | MemorySpace::Generic => true,
                    MemorySpace::Global | MemorySpace::Constant => thread.addresses.window(at) == MemorySpace::Global,
                    MemorySpace::SharedCta => at.saturating_add(size) <= thread.shared_bytes(),
                    _ => false,
                };
                is_there && at.is_multiple_of(size)
            }
            (Held::Computed, MemorySpace::Generic) => elements == 1 && !thread.uses_shared(),
            (Held::Computed, _) => elements == 1,
        };
        is_right.then_some(())
    }

    /// The value of memory that no thread writes.
    fn constant_memory(&mut self, address: MachineAddress, offset: i64, bytes: u32) -> Option<u64> {
        let Held::Known(base) = self.held(address.base)? else { return None };
        let at = address.of(base).wrapping_add_signed(offset);
        if address.space == MemorySpace::Parameter {
            return self.thread.parameter(at, bytes);
        }
        if address.space == MemorySpace::SharedCta {
            return None;
        }
        let memory = self.thread.memory;
        let place = memory.find(at, bytes.into(), 0)?;
        let allocation = &memory.allocations()[place.allocation];
        let is_constant = !is_writable(allocation.kind) || !self.thread.written.contains(&place.allocation);
        if !is_constant || !allocation.region.is_range_defined(place.offset, bytes as usize) {
            return None;
        }
        self.out.read_allocations.insert(place.allocation);
        Some(allocation.region.load(place.offset, bytes))
    }

    /// The address of an access of so many bytes, of which a word or a size is noted.
    fn address(
        &mut self,
        address: MachineAddress,
        (offset, bytes): (i64, u32),
        kind: MachineAccessKind,
    ) -> Option<ModelAddress> {
        match self.accessed(address, offset)? {
            AccessedAddress::Word(address) => {
                if !self.is_writable_word(address, bytes) {
                    return None;
                }
                if kind != MachineAccessKind::Read {
                    let place = self.thread.memory.find(address, bytes.into(), 0);
                    self.out.written_allocations.extend(place.map(|place| place.allocation));
                }
                self.out.words.insert(ModelledWord { address, bytes });
                Some(ModelAddress::Register(ThreadCode::ZERO, address as i64))
            }
            AccessedAddress::Computed(address) => {
                self.out.computed_sizes.insert(bytes);
                Some(address)
            }
        }
    }

    /// Whether an address is that of a word which the model has a location for.
    fn is_writable_word(&self, address: u64, bytes: u32) -> bool {
        let own_shared = self.thread.shared_address(0);
        let is_inside = match address.checked_sub(own_shared) {
            Some(offset) if offset < u64::from(u32::MAX) => offset + u64::from(bytes) <= self.thread.shared_bytes(),
            _ => {
                let memory = self.thread.memory;
                let place = memory.find(address, bytes.into(), 0);
                place.is_some_and(|place| is_writable(memory.allocations()[place.allocation].kind))
            }
        };
        is_inside && address.is_multiple_of(bytes.into())
    }

    fn accessed(&mut self, address: MachineAddress, offset: i64) -> Option<AccessedAddress> {
        let is_shared = match address.space {
            MemorySpace::Global | MemorySpace::Generic => false,
            MemorySpace::SharedCta => true,
            _ => return None,
        };
        Some(match self.operand(address.base)? {
            ModelOperand::Constant(base) => {
                let at = address.of(base as u64).wrapping_add_signed(offset);
                let addresses = self.thread.addresses;
                let is_window =
                    address.space == MemorySpace::Generic && addresses.window(at) == MemorySpace::SharedCluster;
                let is_own = is_shared || is_window;
                AccessedAddress::Word(if is_own {
                    self.thread.shared_address(addresses.shared_address(at))
                } else {
                    at
                })
            }
            base @ ModelOperand::Register(_) => {
                let (thread, to) = (self.thread, self.out.temporary());
                let (begin, addresses) = (thread.shared_address(0), thread.addresses);
                self.out.apply(to, [base, NO_OPERAND, NO_OPERAND, NO_OPERAND], move |[base, ..]| {
                    let at = address.of(base as u64).wrapping_add_signed(offset);
                    // Nothing is at the address 0.
                    let found = match is_shared {
                        true if at <= u64::from(u32::MAX) => begin + at,
                        false if addresses.window(at) == MemorySpace::Global => at,
                        _ => 0,
                    };
                    found.into()
                })?;
                AccessedAddress::Computed(ModelAddress::Register(to, 0))
            }
        })
    }

    pub fn store(&mut self, Store { address, element_bytes: bytes, elements, order, parts }: &Store) -> Option<()> {
        if *parts != VectorParts::Elements {
            return None;
        }
        self.check_place(*address, (*bytes, elements.len()))?;
        for (element, source) in elements.iter().enumerate() {
            let at = self.address(*address, (element as i64 * i64::from(*bytes), *bytes), MachineAccessKind::Write)?;
            let value = self.narrowed(*source, 8 * *bytes)?;
            self.out.push(ModelInstruction::Store { at, value, bytes: *bytes, access: access(*order) })?;
        }
        Some(())
    }

    /// The lowest bits of an operand.
    fn narrowed(&mut self, source: Source, bits: u32) -> Option<ModelOperand> {
        let mask = low_bits(bits);
        match self.operand(source)? {
            ModelOperand::Constant(value) => Some(ModelOperand::Constant(value & mask)),
            operand @ ModelOperand::Register(_) if bits >= 64 => Some(operand),
            operand @ ModelOperand::Register(_) => {
                let to = self.out.temporary();
                self.out.apply(to, [operand, NO_OPERAND, NO_OPERAND, NO_OPERAND], move |[value, ..]| value & mask)?;
                Some(ModelOperand::Register(to))
            }
        }
    }

    pub fn atomic(&mut self, atomic: &Atomic) -> Option<()> {
        let bits = 8 * atomic.shape().bytes();
        let (b, c) = (one(&atomic.b)?, one(&atomic.c)?);
        if bits > 64 || atomic.destination.len() > 1 {
            return None;
        }
        let bytes = bits / 8;
        self.check_place(atomic.address, (bytes, 1))?;
        let at = self.address(atomic.address, (0, bytes), MachineAccessKind::Atomic)?;
        let [b, c] = [b, c].map(|source| source.map_or(Some(NO_OPERAND), |source| self.narrowed(source, bits)));
        let to = atomic.destination.first().copied().flatten().map(|to| self.result(to));
        self.out.push(ModelInstruction::Update {
            to,
            at,
            update: Update::Ptx(atomic.in_global),
            b: b?,
            c: c?,
            bytes,
            access: access(atomic.order),
            reduction: atomic.order.spelling == OrderSpelling::Reduction,
        })
    }
}

/// The only part of an operand, if it has one; `None` if it has several.
fn one(parts: &[Source]) -> Option<Option<Source>> {
    (parts.len() <= 1).then(|| parts.first().copied())
}

fn access(order: AccessOrder) -> Access {
    match order.sem {
        Sem::Weak => Access::weak(),
        sem => Access::strong(sem, order.scope),
    }
}

//! The code of asynchronous copies and stores: an access to each location that is copied, element by element.

use super::shared_variables::in_cta;
use crate::litmus::parse::{AsyncOperations, mbarrier};
use crate::litmus::test::{LitmusError, Test};
use memory_model::{
    Access, Bits, FenceKind, FencedSpace, Location, ModelAddress, ModelInstruction, ModelOperand, ModelProxyFence,
    Proxy, Scope, Sem, ThreadPosition, Update,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// The size of an mbarrier.
pub const MBARRIER_BYTES: u32 = 8;

/// An address that a copy reads or writes.
#[derive(Clone)]
pub struct CopiedAddress {
    /// The register or constant.
    pub base: ModelOperand,
    /// What is added to it.
    pub offset: i64,
    /// The state space that the instruction names.
    pub space: Option<FencedSpace>,
}

/// The mbarrier that a copy signals.
pub struct SignalledMbarrier {
    /// Its address.
    pub at: (ModelOperand, i64),
    /// The bytes of the transaction.
    pub bytes: Bits,
}

/// What an operation writes.
pub enum CopiedValue {
    /// What is in memory.
    Memory(CopiedAddress),
    /// An operand of the instruction.
    Operand(ModelOperand),
}

/// An operation whose locations are not known yet.
pub struct UnresolvedCopy {
    /// The number of the operation.
    pub operation: usize,
    /// The thread that issues it.
    pub issuer: usize,
    /// The instruction.
    pub range: Range<usize>,
    pub to: CopiedAddress,
    pub from: CopiedValue,
    pub bytes: u64,
    pub proxy: Proxy,
    /// The update and its scope, of a reduction.
    pub reduction: Option<(Update, Scope)>,
    pub signal: Option<SignalledMbarrier>,
    /// The CTA of the cluster that the operation writes to and signals, of a multicast copy.
    pub rank: Option<u32>,
}

/// Gives each operation its code.
pub fn resolve(test: &mut Test, operations: &mut AsyncOperations, copies: &[UnresolvedCopy]) {
    for copy in copies {
        match copy.code(test) {
            Ok(code) => operations.set_code(copy.operation, code),
            Err(error) => test.errors.push(error),
        }
    }
}

impl UnresolvedCopy {
    fn code(&self, test: &mut Test) -> Result<Vec<ModelInstruction>, LitmusError> {
        let to = self.destination(test, self.to.base, self.to.offset)?;
        let (mut code, writes) = match &self.from {
            CopiedValue::Memory(from) => self.copied(test, to, from)?,
            CopiedValue::Operand(value) => (Vec::new(), vec![self.stored(test, to, *value)?]),
        };
        let fence = match self.proxy {
            Proxy::Async => Some(ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async)))),
            _ => None,
        };
        if !code.is_empty() {
            code.extend(fence.clone());
        }
        code.extend(writes);
        code.extend(fence);
        if let Some(SignalledMbarrier { at: (base, offset), bytes }) = &self.signal {
            let at = self.destination(test, *base, *offset)?;
            let at = ModelAddress::Location(location(test, at, MBARRIER_BYTES, Some(FencedSpace::Shared)));
            code.push(mbarrier(at, 0, bytes.wrapping_neg(), Access::strong(Sem::Release, Scope::Cluster), None));
        }
        Ok(code)
    }

    /// The reads and the writes of a copy.
    fn copied(
        &self,
        test: &mut Test,
        to: u64,
        from: &CopiedAddress,
    ) -> Result<(Vec<ModelInstruction>, Vec<ModelInstruction>), LitmusError> {
        let start = self.address(test, from.base, from.offset)?;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let access = Access { proxy: self.proxy, ..Access::weak() };
        for (register, (offset, bytes)) in self.elements(test, to, start)?.into_iter().enumerate() {
            let read = ModelAddress::Location(location(test, start.wrapping_add(offset), bytes, from.space));
            let write = ModelAddress::Location(location(test, to.wrapping_add(offset), bytes, self.to.space));
            reads.push(ModelInstruction::Load { to: Some(register), at: read, bytes, access });
            writes.push(self.write(write, ModelOperand::Register(register), bytes)?);
        }
        Ok((reads, writes))
    }

    /// The write of an operand, which must be known: the operation has no registers of its issuer.
    fn stored(&self, test: &mut Test, to: u64, value: ModelOperand) -> Result<ModelInstruction, LitmusError> {
        let bytes = self.bytes as u32;
        let value = test.program.threads[self.issuer].static_value(value).ok_or_else(|| {
            self.error("value of an asynchronous operation is not constant", "write the value to its register once")
        })?;
        let at = ModelAddress::Location(location(test, to, bytes, self.to.space));
        self.write(at, ModelOperand::Constant(value & (Bits::MAX >> (128 - 8 * bytes.clamp(1, 16)))), bytes)
    }

    fn write(&self, at: ModelAddress, value: ModelOperand, bytes: u32) -> Result<ModelInstruction, LitmusError> {
        let Some((update, scope)) = self.reduction else {
            let access = Access { proxy: self.proxy, ..Access::weak() };
            return Ok(ModelInstruction::Store { at, value, bytes, access });
        };
        if let Update::Ptx(operation) = update
            && operation.shape().bytes() != bytes
        {
            let message = "elements of a reduction are accessed in another size than that of its type";
            return Err(self.error(message, "access them in the size of the type"));
        }
        let access = Access { order: Sem::Relaxed, scope, proxy: self.proxy };
        let c = ModelOperand::Constant(0);
        Ok(ModelInstruction::Update { to: None, at, update, b: value, c, bytes, access, reduction: true })
    }

    /// The offsets and sizes of the locations that some thread accesses, on either side.
    fn elements(&self, test: &Test, to: u64, from: u64) -> Result<BTreeMap<u64, u32>, LitmusError> {
        let mut elements = BTreeMap::new();
        for start in [to, from] {
            for location in &test.program.locations {
                let Some(offset) = location.address.checked_sub(start).filter(|offset| *offset < self.bytes) else {
                    continue;
                };
                if *elements.entry(offset).or_insert(location.bytes) != location.bytes {
                    let message = "source and destination are accessed in different sizes";
                    return Err(self.error(message, "access both in one size"));
                }
            }
        }
        Ok(elements)
    }

    /// An address that is written: of a multicast copy that in the CTA with its rank.
    fn destination(&self, test: &mut Test, base: ModelOperand, offset: i64) -> Result<u64, LitmusError> {
        let address = self.address(test, base, offset)?;
        let Some(cta) = self.rank else { return Ok(address) };
        let place = ThreadPosition { cta, ..test.program.threads[self.issuer].place };
        in_cta(test, address, place).ok_or_else(|| {
            self.error(
                "destination of a multicast copy is not a shared variable",
                "name one, or a register that holds its address",
            )
        })
    }

    fn address(&self, test: &Test, base: ModelOperand, offset: i64) -> Result<u64, LitmusError> {
        let base = test.program.threads[self.issuer].static_value(base);
        let address = base.map(|base| (base as u64).wrapping_add_signed(offset));
        address.ok_or_else(|| {
            self.error("address of an asynchronous operation is not constant", "write the address to its register once")
        })
    }

    fn error(&self, message: &str, help: &str) -> LitmusError {
        LitmusError { range: self.range.clone(), message: message.to_owned(), help: help.to_owned() }
    }
}

/// The location with these bytes; created if no thread accesses it.
fn location(test: &mut Test, address: u64, bytes: u32, space: Option<FencedSpace>) -> usize {
    let locations = &mut test.program.locations;
    let at = locations.iter().position(|location| (location.address, location.bytes) == (address, bytes));
    let at = at.unwrap_or_else(|| {
        let below = locations.iter().filter(|location| location.address < address);
        let name = below.max_by_key(|location| location.address).map_or_else(
            || format!("{address:#x}"),
            |location| format!("{}+{}", location.name, address - location.address),
        );
        locations.push(Location { name, address, bytes, ..Location::default() });
        locations.len() - 1
    });
    locations[at].space = locations[at].space.or(space);
    at
}

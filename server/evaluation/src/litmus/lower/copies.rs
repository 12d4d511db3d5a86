//! The code of asynchronous copies: an access to each location that is copied, element by element.

use crate::litmus::parse::{AsyncOperations, mbarrier};
use crate::litmus::test::{LitmusError, Test};
use memory_model::{
    Access, Bits, FenceKind, FencedSpace, Location, ModelAddress, ModelInstruction, ModelOperand, ModelProxyFence,
    Proxy, Scope, Sem,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// The size of an mbarrier.
pub const MBARRIER_BYTES: u32 = 8;

/// An address that a copy reads or writes.
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

/// A copy whose locations are not known yet.
pub struct UnresolvedCopy {
    /// The number of the operation.
    pub operation: usize,
    /// The thread that issues it.
    pub issuer: usize,
    /// The instruction.
    pub range: Range<usize>,
    pub to: CopiedAddress,
    pub from: CopiedAddress,
    pub bytes: u64,
    pub proxy: Proxy,
    pub signal: Option<SignalledMbarrier>,
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
        let to = self.address(test, self.to.base, self.to.offset)?;
        let from = self.address(test, self.from.base, self.from.offset)?;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let access = Access { proxy: self.proxy, ..Access::weak() };
        for (register, (offset, bytes)) in self.elements(test, to, from)?.into_iter().enumerate() {
            let read = ModelAddress::Location(location(test, from.wrapping_add(offset), bytes, self.from.space));
            let write = ModelAddress::Location(location(test, to.wrapping_add(offset), bytes, self.to.space));
            reads.push(ModelInstruction::Load { to: Some(register), at: read, bytes, access });
            let value = ModelOperand::Register(register);
            writes.push(ModelInstruction::Store { at: write, value, bytes, access });
        }
        let fence = match self.proxy {
            Proxy::Async => Some(ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async)))),
            _ => None,
        };
        let mut code = reads;
        code.extend(fence.clone());
        code.extend(writes);
        code.extend(fence);
        if let Some(SignalledMbarrier { at: (base, offset), bytes }) = &self.signal {
            let at = self.address(test, *base, *offset)?;
            let at = ModelAddress::Location(location(test, at, MBARRIER_BYTES, Some(FencedSpace::Shared)));
            code.push(mbarrier(at, 0, bytes.wrapping_neg(), Access::strong(Sem::Release, Scope::Cluster), None));
        }
        Ok(code)
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

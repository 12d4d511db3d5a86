//! The code of asynchronous copies and stores: an access to each location that is copied, element by element.

use crate::lower::shared_variables::in_cta;
use crate::parse::{AsyncOperations, mbarrier};
use crate::test::{LitmusError, Test};
use machine::{InnerRow, RowEnd, SharedBox, inner_rows};
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{
    Access, AwaitedOperation, Bits, FenceKind, FencedSpace, Location, ModelAddress, ModelInstruction, ModelOperand,
    ModelProxyFence, Proxy, Scope, Sem, ThreadPosition, Update,
};
use program::TensorMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// The bytes after which permutations of shared memory repeat.
const SWIZZLE_PERIOD: u64 = 1024;

/// The most bytes of shared memory that a CTA has.
const MAX_SHARED: u64 = 227 << 10;

/// The size of an element of an accumulator.
pub const PRODUCT_BYTES: u32 = 4;

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
    /// A product of matrices, which is written through the generic proxy.
    Product(Product),
    /// An arrival at an mbarrier after this code.
    Arrival(Vec<ModelInstruction>),
}

/// What a product of matrices reads. The sum of the elements stands for it.
pub struct Product {
    /// The operations that it is executed after.
    pub after: Vec<AwaitedOperation>,
    /// The addresses of elements in shared memory, which are read through the async proxy.
    pub shared: Vec<u64>,
    /// Other elements, which are read through the generic proxy.
    pub tensors: Vec<ModelAddress>,
}

impl Product {
    /// The product of matrices in shared memory.
    pub fn of(shared: Vec<u64>) -> Self {
        Product { after: Vec::new(), shared, tensors: Vec::new() }
    }
}

/// Which bytes an operation copies.
#[derive(Clone)]
pub enum CopiedShape {
    /// So many after each other.
    Bytes(u64),
    /// A box of a tensor whose address is in the map, and its coordinates.
    Box(TensorMap, Vec<i64>),
}

/// A part of what an operation copies.
struct CopiedBytes {
    to: u64,
    from: u64,
    bytes: u64,
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
    pub shape: CopiedShape,
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
            CopiedValue::Product(product) => return self.sum(test, to, product),
            CopiedValue::Arrival(before) => return Ok(arrival(test, to, before)),
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

    /// The code of a product of matrices.
    fn sum(&self, test: &mut Test, to: u64, product: &Product) -> Result<Vec<ModelInstruction>, LitmusError> {
        let access = Access { proxy: self.proxy, ..Access::weak() };
        let mut code = Vec::new();
        if !product.after.is_empty() {
            code.push(ModelInstruction::Await { operations: product.after.clone() });
        }
        for (register, address) in product.shared.iter().enumerate() {
            let at = test.program.locations.iter().position(|location| location.address == *address);
            let at = at.ok_or_else(|| self.error("no thread accesses the first element of the matrix", "write it"))?;
            let bytes = test.program.locations[at].bytes;
            code.push(ModelInstruction::Load { to: Some(register), at: ModelAddress::Location(at), bytes, access });
        }
        code.push(ModelInstruction::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))));
        let mut count = product.shared.len();
        for at in &product.tensors {
            let (to, access) = (Some(count), Access::weak());
            code.push(ModelInstruction::Load { to, at: *at, bytes: PRODUCT_BYTES, access });
            count += 1;
        }
        for register in 1..count {
            let [a, b] = [0, register].map(ModelOperand::Register);
            code.push(ModelInstruction::Compute { to: 0, alu: Alu::litmus(AluOp::Add), a, b });
        }
        let at = ModelAddress::Location(location(test, to, PRODUCT_BYTES, None));
        let (value, access) = (ModelOperand::Register(0), Access::weak());
        code.push(ModelInstruction::Store { at, value, bytes: PRODUCT_BYTES, access });
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
        for part in self.parts(to, start)? {
            for (offset, bytes) in self.elements(test, &part)? {
                let read = ModelAddress::Location(location(test, part.from.wrapping_add(offset), bytes, from.space));
                let write = ModelAddress::Location(location(test, part.to.wrapping_add(offset), bytes, self.to.space));
                let register = reads.len();
                reads.push(ModelInstruction::Load { to: Some(register), at: read, bytes, access });
                writes.push(self.write(write, ModelOperand::Register(register), bytes)?);
            }
        }
        Ok((reads, writes))
    }

    /// The parts of a copy between two addresses; of a box those that stay together on both sides.
    fn parts(&self, to: u64, from: u64) -> Result<Vec<CopiedBytes>, LitmusError> {
        let (map, coordinates) = match &self.shape {
            CopiedShape::Bytes(bytes) => return Ok(vec![CopiedBytes { to, from, bytes: *bytes }]),
            CopiedShape::Box(map, coordinates) => (map, coordinates),
        };
        let is_load = self.to.space == Some(FencedSpace::Shared);
        let shared = if is_load { to } else { from };
        // What is permuted depends on the lower bits of the address alone.
        let aligned = shared - shared % SWIZZLE_PERIOD;
        let shared_box = SharedBox::new(map, (shared - aligned) as u32);
        if shared_box.length() > MAX_SHARED {
            return Err(self.error(
                &format!("box of {} bytes does not fit into shared memory", shared_box.length()),
                "copy a smaller box: a CTA has 227 KiB",
            ));
        }
        let rows = inner_rows(map, coordinates, &[], RowEnd::Exact);
        if rows.iter().map(|row| row.range.len() as u64).sum::<u64>() != map.box_bytes() {
            return Err(self.error("box leaves the tensor", "copy boxes that are inside of it"));
        }
        let part = |row: &InnerRow| {
            let (start, address) = (row.range.start, row.address);
            let parts = shared_box.parts(row.range.clone()).collect::<Vec<_>>().into_iter();
            parts.map(move |(range, at)| {
                let global = address.saturating_add((range.start - start) as u64);
                let shared = aligned + u64::from(at);
                let (to, from) = if is_load { (shared, global) } else { (global, shared) };
                CopiedBytes { to, from, bytes: range.len() as u64 }
            })
        };
        Ok(rows.iter().flat_map(part).collect())
    }

    /// The write of an operand, which must be known: the operation has no registers of its issuer.
    fn stored(&self, test: &mut Test, to: u64, value: ModelOperand) -> Result<ModelInstruction, LitmusError> {
        let CopiedShape::Bytes(bytes) = self.shape else {
            return Err(self.error("a box of a constant", "copy it from memory"));
        };
        let bytes = bytes as u32;
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
    fn elements(&self, test: &Test, part: &CopiedBytes) -> Result<BTreeMap<u64, u32>, LitmusError> {
        let mut elements = BTreeMap::new();
        for start in [part.to, part.from] {
            for location in &test.program.locations {
                let Some(offset) = location.address.checked_sub(start).filter(|offset| *offset < part.bytes) else {
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

/// An arrival at an mbarrier after other code.
fn arrival(test: &mut Test, to: u64, before: &[ModelInstruction]) -> Vec<ModelInstruction> {
    let at = ModelAddress::Location(location(test, to, MBARRIER_BYTES, Some(FencedSpace::Shared)));
    let arrive = mbarrier(at, 1, 0, Access::strong(Sem::Release, Scope::Cluster), None);
    before.iter().cloned().chain([arrive]).collect()
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

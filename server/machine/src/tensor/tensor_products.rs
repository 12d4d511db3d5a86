//! Executes the instructions of `tcgen05` that a single thread issues. They are followed when all executions are explored: what they access, not what they
//! compute.

use crate::copies::pending_copy::{CopiedPart, GatheredPart, MemoryRange, Notified, PendingCopy, PendingData};
use crate::recording::recorded_access::MbarrierAccess;
use crate::state::UnsupportedAt;
use crate::tensor::tensor_memory::TensorCell;
use crate::tensor::tensor_operands;
use crate::threads::executor::Executor;
use crate::waiting::mbarrier_access;
use ordering::tensor_memory::operations;
use ordering::{TensorAccess, TensorOperationKind};
use program::copies::async_copy::GroupKind;
use program::copies::tensor_map::Swizzle;
use program::lanes::lanes_of;
use program::operand::{MachineAddress, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use program::tensor::tensor_instruction::{
    AccumulatorLayout, CtaGroup, MultipliedMatrix, TensorCopyIn, TensorInstruction, TensorMultiply,
};
use program::tensor::tensor_region::{TENSOR_LANES, TensorAddress, TensorRegion, TensorRole};
use program::tensor::warpgroup::{CHUNK, MatrixMajor, MatrixPlacement};

/// The columns of a matrix that is multiplied in tensor memory: 32 bytes of each row.
const INPUT_COLUMNS: u32 = 8;
/// The chunks of a row of a matrix in shared memory.
const INPUT_CHUNKS: u32 = 2;
/// The rows and the columns that a shift moves.
const SHIFTED: [u32; 2] = [32, 8];
/// The lanes that a matrix of 64 rows has: 16 of each 32.
const HALF_OF_LANES: u128 = 0x0000_ffff_0000_ffff_0000_ffff_0000_ffff;

/// The descriptor of a multiplication.
#[derive(Clone, Copy, Debug)]
struct MultiplyDescriptor(u32);

impl MultiplyDescriptor {
    const fn rows(self) -> u32 {
        (self.0 >> 24 & 0x1f) * 16
    }

    const fn columns(self) -> u32 {
        (self.0 >> 17 & 0x3f) * 8
    }

    /// Which dimension of an input is contiguous: the first one or the second one.
    const fn major(self, input: u32) -> MatrixMajor {
        if self.0 >> (15 + input) & 1 == 1 { MatrixMajor::Mn } else { MatrixMajor::K }
    }

    /// The shape alone.
    const fn shape(self) -> u32 {
        self.0 & (0x1f << 24 | 0x3f << 17)
    }
}

/// The slots of the CTAs that take part in an operation.
pub fn cta_group(executor: &Executor<'_, '_>, group: CtaGroup) -> Vec<usize> {
    let own = executor.warp.cta;
    let cta = &executor.machine.ctas[own];
    let peer = executor.machine.clusters[cta.cluster].ctas.get(cta.rank as usize ^ 1).copied();
    std::iter::once(own).chain(peer.filter(|_| group == CtaGroup::Two)).collect()
}

/// Ends a run of one execution: what comes next depends on results that are not computed.
pub fn needs_exploration(executor: &mut Executor<'_, '_>, instruction: &TensorInstruction) -> bool {
    if executor.machine.explored.clock.is_some() {
        return false;
    }
    stop_at(executor, instruction);
    true
}

/// Ends the execution at an instruction that cannot be followed.
fn stop_at(executor: &mut Executor<'_, '_>, instruction: &TensorInstruction) {
    let opcode = instruction.opcode.to_string();
    executor.machine.unsupported = Some(UnsupportedAt { place: executor.place(), opcode });
    executor.machine.stopped = true;
}

/// Begins a multiplication in each active lane.
pub fn multiply_tensors(
    executor: &mut Executor<'_, '_>,
    instruction: &TensorInstruction,
    multiply: &TensorMultiply,
    active: u32,
) {
    if needs_exploration(executor, instruction) {
        return;
    }
    for lane in lanes_of(active) {
        // Which part of a mask is for which CTA of a pair is not followed.
        let is_masked = |mask: &Source| executor.values(*mask)[lane] as u32 != 0;
        if multiply.group == CtaGroup::Two && multiply.disabled_lanes.iter().any(is_masked) {
            return stop_at(executor, instruction);
        }
        multiply_in_lane(executor, multiply, lane);
    }
}

fn multiply_in_lane(executor: &mut Executor<'_, '_>, multiply: &TensorMultiply, lane: usize) {
    let descriptor = MultiplyDescriptor(tensor_operands::tensor_operand(executor, multiply.descriptor, lane));
    let accumulates = tensor_operands::tensor_operand(executor, multiply.accumulates, lane) & 1 == 1;
    let slots = cta_group(executor, multiply.group);
    let disabled = disabled_lanes(executor, &multiply.disabled_lanes, lane);
    let accumulator = tensor_operands::tensor_address(executor, &multiply.accumulator, lane);
    let result = result_region(multiply.layout, descriptor, slots.len() as u32, accumulator);
    let mut regions =
        vec![(TensorRegion::of_lanes(result.lanes() & !disabled, result.columns()), TensorRole::Accumulator)];
    if let MultipliedMatrix::Tensor(address) = &multiply.a {
        let columns = tensor_operands::tensor_address(executor, address, lane).columns(INPUT_COLUMNS);
        regions.push((TensorRegion::of_lanes(result.lanes(), columns), TensorRole::Input));
    }
    // Of scale factors and metadata at least the first column is read.
    for address in &multiply.inputs {
        let columns = tensor_operands::tensor_address(executor, address, lane).columns(1);
        regions.push((TensorRegion::new(0..TENSOR_LANES, columns), TensorRole::Input));
    }
    let kind = TensorOperationKind::Multiply(descriptor.shape(), multiply.kind.clone());
    if !begin_product(executor, (kind, multiply.group), &regions, &slots, lane) {
        return;
    }
    let read = if accumulates { 0 } else { 1 };
    regions.iter().skip(read).for_each(|(region, _)| require_written(executor, &slots, region, lane));
    let (place, (target, _)) = (executor.place(), &regions[0]);
    for slot in &slots {
        executor.machine.ctas[*slot].tensors.fill(target, TensorCell::Unknown(place));
    }
    let extent = |all: u32| all / slots.len() as u32;
    let mut matrices = vec![(multiply.b, extent(descriptor.columns()), descriptor.major(1))];
    if let MultipliedMatrix::Shared(a) = multiply.a {
        matrices.push((a, extent(descriptor.rows()), descriptor.major(0)));
    }
    // How narrower elements are where the other dimension is contiguous is not followed.
    let is_followed = |major: MatrixMajor| major == MatrixMajor::K || &*multiply.kind == "kind::f16";
    let placements: Vec<MatrixPlacement> = matrices
        .into_iter()
        .filter(|(.., major)| is_followed(*major))
        .map(|(source, extent, major)| placement(executor, source, (extent, INPUT_CHUNKS), major, lane))
        .collect();
    read_matrices(executor, &placements, &slots, lane);
}

fn disabled_lanes(executor: &mut Executor<'_, '_>, masks: &[Source], lane: usize) -> u128 {
    let masks =
        masks.iter().take(4).map(|mask| tensor_operands::tensor_operand(executor, *mask, lane)).collect::<Vec<_>>();
    masks.into_iter().rev().fold(0, |all, mask| all << 32 | u128::from(mask))
}

/// Begins an operation on the same parts in some CTAs. Returns whether they are allocated.
fn begin_product(
    executor: &mut Executor<'_, '_>,
    operation: (TensorOperationKind, CtaGroup),
    regions: &[(TensorRegion, TensorRole)],
    slots: &[usize],
    lane: usize,
) -> bool {
    for slot in slots {
        if !regions.iter().all(|(region, _)| tensor_operands::require_allocated(executor, *slot, region, lane)) {
            return false;
        }
    }
    let of_slot = |slot: &usize| {
        let slot = *slot;
        regions.iter().map(move |(region, role)| TensorAccess { slot, region: region.clone(), role: *role })
    };
    tensor_operands::begin_tensor_operation(executor, operation, slots.iter().flat_map(of_slot).collect(), 1 << lane);
    true
}

/// Reports a part of which nothing was written.
fn require_written(executor: &mut Executor<'_, '_>, slots: &[usize], region: &TensorRegion, lane: usize) {
    if slots.iter().all(|slot| executor.machine.ctas[*slot].tensors.is_unwritten(region)) {
        let (address, size, space) = (region.address().into(), region.bytes(), "tensor");
        executor.report(ProblemKind::UninitializedMemory { address, size, space }, lane);
    }
}

/// Where a matrix is in shared memory, by the value of its descriptor.
fn placement(
    executor: &mut Executor<'_, '_>,
    descriptor: Source,
    (extent, chunks): (u32, u32),
    major: MatrixMajor,
    lane: usize,
) -> MatrixPlacement {
    executor.require_defined(descriptor, 1 << lane);
    let descriptor = executor.values(descriptor)[lane];
    let swizzle = match descriptor >> 61 {
        1 | 2 => Swizzle::Bytes128,
        4 => Swizzle::Bytes64,
        6 => Swizzle::Bytes32,
        _ => Swizzle::None,
    };
    MatrixPlacement::new(descriptor, swizzle, (extent, chunks), major)
}

/// Reads matrices in shared memory of some CTAs, at the same offsets, until a commit.
fn read_matrices(executor: &mut Executor<'_, '_>, matrices: &[MatrixPlacement], slots: &[usize], lane: usize) {
    let mut parts = Vec::new();
    for slot in slots {
        let length = executor.machine.ctas[*slot].shared.len() as u64;
        for matrix in matrices {
            let chunks = matrix.chunks();
            if let Some(outside) = chunks.iter().find(|offset| u64::from(**offset + CHUNK) > length) {
                let (address, size, access) = (u64::from(*outside), CHUNK.into(), MachineAccessKind::Read);
                executor.report(ProblemKind::OutOfBounds { access, address, size, nearest: None }, lane);
                return;
            }
            let part = |offset| GatheredPart::Memory(MemoryRange::Shared(*slot, offset), CHUNK as usize);
            parts.extend(chunks.into_iter().map(part));
        }
    }
    let group = executor.warp.group_numbers(lane).current(GroupKind::Tensors);
    let (thread, place, begin) = (executor.thread(lane), executor.place(), executor.begin_copy_clock(lane));
    executor.machine.copies.push(PendingCopy {
        thread,
        place,
        begin,
        destination: MemoryRange::Shared(executor.warp.cta, 0),
        length: 0,
        data: PendingData::Gathered(parts.into()),
        reduction: None,
        notified: Notified::Group(GroupKind::Tensors, group),
        proxy: AccessProxy::Async,
        part: CopiedPart::placed([]),
    });
}

/// Begins a copy from shared memory in each active lane.
pub fn copy_to_tensors(
    executor: &mut Executor<'_, '_>,
    instruction: &TensorInstruction,
    copy: &TensorCopyIn,
    active: u32,
) {
    if needs_exploration(executor, instruction) {
        return;
    }
    for lane in lanes_of(active) {
        let address = tensor_operands::tensor_address(executor, &copy.address, lane);
        let (columns, first) = (address.columns(copy.chunks * CHUNK / 4), address.lane());
        let region = TensorRegion::new(first..first + copy.lanes, columns);
        let slots = cta_group(executor, copy.group);
        let kind = TensorOperationKind::Copy { is_narrow: copy.rows == 4 };
        if begin_product(executor, (kind, copy.group), &[(region.clone(), TensorRole::Output)], &slots, lane) {
            fill_unknown(executor, &slots, &region);
            let placement = placement(executor, copy.descriptor, (copy.rows, copy.chunks), MatrixMajor::K, lane);
            read_matrices(executor, &[placement], &slots, lane);
        }
    }
}

fn fill_unknown(executor: &mut Executor<'_, '_>, slots: &[usize], region: &TensorRegion) {
    let cell = TensorCell::Unknown(executor.place());
    slots.iter().for_each(|slot| executor.machine.ctas[*slot].tensors.fill(region, cell));
}

/// Shifts rows in each active lane.
pub fn shift_tensors(
    executor: &mut Executor<'_, '_>,
    instruction: &TensorInstruction,
    address: &MachineAddress,
    group: CtaGroup,
    active: u32,
) {
    if needs_exploration(executor, instruction) {
        return;
    }
    let [rows, columns] = SHIFTED;
    for lane in lanes_of(active) {
        let address = tensor_operands::tensor_address(executor, address, lane);
        let region = TensorRegion::new(address.lane()..address.lane() + rows, address.columns(columns));
        let slots = cta_group(executor, group);
        let accesses = [(region.clone(), TensorRole::Input), (region.clone(), TensorRole::Output)];
        if begin_product(executor, (TensorOperationKind::Shift, group), &accesses, &slots, lane) {
            require_written(executor, &slots, &region, lane);
            fill_unknown(executor, &slots, &region);
        }
    }
}

/// Lets an mbarrier track the end of the operations of each active lane.
pub fn commit_tensors(executor: &mut Executor<'_, '_>, address: &MachineAddress, ranks: Option<Source>, active: u32) {
    executor.require_defined(address.base, active);
    for lane in lanes_of(active) {
        let Some((slot, offset)) = mbarrier_access::mbarrier_place(executor, address, lane) else { continue };
        let slots = match ranks {
            None => vec![slot],
            Some(ranks) => {
                let ranks = tensor_operands::tensor_operand(executor, ranks, lane);
                let ctas = &executor.machine.clusters[executor.machine.ctas[executor.warp.cta].cluster].ctas;
                let chosen = ctas.iter().enumerate().filter(|(rank, _)| ranks >> rank & 1 == 1);
                chosen.map(|(_, slot)| *slot).collect()
            }
        };
        slots.iter().for_each(|slot| executor.record_mbarrier(*slot, offset, MbarrierAccess::Update, lane));
        let (thread, place, mut begin) = (executor.thread(lane), executor.place(), executor.begin_copy_clock(lane));
        operations::commit_tensors(&executor.machine.races, begin.agent, &mut begin.clock);
        let group = executor.warp.group_numbers(lane).current(GroupKind::Tensors);
        executor.warp.group_numbers(lane).commit(GroupKind::Tensors);
        executor.machine.copies.extend(slots.into_iter().map(|slot| PendingCopy {
            thread,
            place,
            begin: begin.clone(),
            destination: MemoryRange::Shared(slot, offset),
            length: 0,
            data: PendingData::Read(Vec::new(), Vec::new(), None),
            reduction: None,
            notified: Notified::ArrivalAfter(GroupKind::Tensors, group, slot, offset),
            proxy: AccessProxy::Generic,
            part: CopiedPart::All,
        }));
    }
}

/// Where the result of a multiplication is in each of so many CTAs.
fn result_region(
    layout: AccumulatorLayout,
    descriptor: MultiplyDescriptor,
    ctas: u32,
    address: TensorAddress,
) -> TensorRegion {
    let (rows, columns) = (descriptor.rows() / ctas, descriptor.columns());
    let all = |columns: u32| TensorRegion::new(0..TENSOR_LANES, address.columns(columns));
    match (layout, rows) {
        (AccumulatorLayout::AllLanes, rows) => all((columns * rows / TENSOR_LANES).max(1)),
        // Each CTA of a pair has half of 128 rows, in all lanes.
        (AccumulatorLayout::Rows, 64) if ctas == 2 => all(columns / 2),
        (AccumulatorLayout::Rows, 64) => {
            TensorRegion::of_lanes(HALF_OF_LANES << (address.lane() & 16), address.columns(columns))
        }
        (AccumulatorLayout::Rows, _) => all(columns),
    }
}

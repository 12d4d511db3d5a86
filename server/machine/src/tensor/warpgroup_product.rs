//! What `wgmma` computes. Matrices are read when it is issued: what changes them before its end is a race.

use crate::memory::locate::MemoryPlace;
use crate::memory::unknown_results;
use crate::threads::executor::Executor;
use crate::threads::matrix_product;
use crate::threads::matrix_product::{UndefinedLines, with_lines};
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use crate::threads::warp::PendingRegister;
use program::lanes::{holding, lanes_of};
use program::operand::Destination;
use program::problem::ProblemKind;
use program::tensor::warpgroup::{CHUNK, MatrixMajor, MatrixPlacement, WarpgroupMultiply, WarpgroupProduct};
use std::ops::Range;

/// The rows of a warp.
const ROWS: u32 = 16;
/// The warps of a warpgroup.
const WARPS: u32 = 4;
/// The bits of half of a chunk.
const HALF_BITS: u32 = 64;

/// The elements of some rows of a matrix in shared memory, row by row, and what is undefined of each row.
struct SharedRows {
    elements: Vec<u64>,
    undefined: UndefinedLines,
}

/// Computes the rows of a warp; they may be read once the group has been waited for.
pub fn multiply_rows(
    executor: &mut Executor<'_, '_>,
    multiply: &WarpgroupMultiply,
    product: &WarpgroupProduct,
    group: u64,
    active: u32,
) {
    for destination in &multiply.accumulator {
        executor.frame.settle(|pending| pending.slot == destination.slot);
    }
    executor.require_defined(product.accumulates, active);
    let leader = active.trailing_zeros() as usize;
    let size = product.size;
    let first = executor.warp.number % WARPS * ROWS;
    let shared: Option<Vec<SharedRows>> = multiply
        .matrices
        .iter()
        .enumerate()
        .map(|(at, matrix)| {
            let is_b = at + 1 == multiply.matrices.len();
            let rows = if is_b { 0..matrix.extent } else { first..first + ROWS };
            let placement = matrix.placement(executor.values(matrix.descriptor)[leader]);
            shared_rows(executor, &placement, rows, product.bits[usize::from(is_b)])
        })
        .collect();
    let Some(mut shared) = shared else { return set_unknown(executor, &multiply.accumulator, active) };
    let Some(mut b) = shared.pop() else { return };
    let in_row = size.k / if product.sparsity.is_some() { 2 } else { 1 };
    let mut a = match (&product.a, shared.pop()) {
        (Some(registers), _) => SharedRows {
            elements: matrix_product::fragment(executor, registers, size.m * in_row),
            undefined: matrix_product::undefined_lines(executor, registers, (size.m, in_row)),
        },
        (None, Some(a)) => a,
        (None, None) => return,
    };
    a.elements.iter_mut().for_each(|element| *element ^= product.flipped[0]);
    b.elements.iter_mut().for_each(|element| *element ^= product.flipped[1]);
    if let Some(sparsity) = &product.sparsity {
        executor.require_defined(sparsity.metadata, sparsity.lanes(size));
    }
    let kept = product.sparsity.as_ref().map(|sparsity| sparsity.kept(executor.values(sparsity.metadata), size));
    let accumulates = holding(executor.values(product.accumulates), active) != 0;
    let (mut sums, undefined_sums) = match accumulates {
        true => {
            let count = size.m * size.n;
            (
                matrix_product::fragment(executor, &product.c, count),
                matrix_product::undefined_lines(executor, &product.c, (count, 1)),
            )
        }
        false => (vec![0; size.m * size.n], vec![None; size.m * size.n]),
    };
    product.arithmetic.multiply(size, &a.elements, &b.elements, kept.as_deref(), &mut sums);
    matrix_product::write_sums(executor, &product.d, &sums, active);
    let undefined = with_lines(undefined_sums, &a.undefined, &b.undefined, size);
    if undefined.iter().any(Option::is_some) {
        matrix_product::mark_undefined_sums(executor, &product.d, &undefined, active);
    }
    let place = executor.place();
    for Destination { slot, .. } in &multiply.accumulator {
        executor.frame.suspend(PendingRegister { slot: *slot, group, place, defined: 0 });
    }
}

/// Notes that the result of an instruction is not known.
pub fn set_unknown(executor: &mut Executor<'_, '_>, registers: &[Destination], active: u32) {
    let place = executor.place();
    for (destination, lane) in registers.iter().flat_map(|one| lanes_of(active).map(move |lane| (*one, lane))) {
        executor.set_lane(destination, lane, 0);
        let reads = vec![(UndefinedCause::Result, place)];
        executor.set_undefined(destination, lane, UndefinedBits { bits: u64::MAX, reads });
    }
}

/// The elements of some rows; `None` if they depend on a result that is not known.
fn shared_rows(
    executor: &Executor<'_, '_>,
    placement: &MatrixPlacement,
    rows: Range<u32>,
    bits: u32,
) -> Option<SharedRows> {
    let per_chunk = CHUNK * 8 / bits;
    let in_row = (placement.chunks_of_row() * per_chunk) as usize;
    let count = rows.len();
    let mut found = SharedRows { elements: vec![0; count * in_row], undefined: vec![None; count] };
    let mask = u64::MAX >> (64 - bits);
    for (row, chunk) in rows.clone().flat_map(|row| (0..placement.chunks_of_row()).map(move |chunk| (row, chunk))) {
        let offset = placement.chunk(row, chunk);
        let shared = &executor.machine.ctas[executor.warp.cta].shared;
        let halves = [0, 8].map(|half| shared.load((offset + half) as usize, 8));
        let is_defined = shared.is_defined(offset as usize, CHUNK as usize);
        if unknown_results::unknown_at(executor, MemoryPlace::Shared(executor.warp.cta, offset), 0, CHUNK).is_some() {
            return None;
        }
        for element in 0..per_chunk {
            let (at_row, at) = match placement.major() {
                MatrixMajor::K => (row, chunk * per_chunk + element),
                MatrixMajor::Mn => (row / per_chunk * per_chunk + element, chunk * per_chunk + row % per_chunk),
            };
            let bit = element * bits;
            let value = halves[(bit / HALF_BITS) as usize] >> (bit % HALF_BITS) & mask;
            let number = (at_row - rows.start) as usize;
            found.elements[number * in_row + at as usize] = value;
            if !is_defined && found.undefined[number].is_none() {
                found.undefined[number] = Some(undefined_chunk(executor, offset));
            }
        }
    }
    Some(found)
}

fn undefined_chunk(executor: &Executor<'_, '_>, offset: u32) -> UndefinedBits {
    let kind = ProblemKind::UninitializedMemory { address: offset.into(), size: CHUNK.into(), space: "shared" };
    UndefinedBits { bits: u64::MAX, reads: vec![(UndefinedCause::Problem(kind), executor.place())] }
}

/// Lets the registers be read of the groups of products before a number.
pub fn settle_products(executor: &mut Executor<'_, '_>, before: u64) {
    let is_done = |pending: &PendingRegister| pending.group < before;
    executor.frame.settle(is_done);
    executor.warp.frames.iter_mut().for_each(|frame| frame.settle(is_done));
}

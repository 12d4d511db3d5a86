//! Products of matrices in the registers of a warp.

use crate::machine::problem::ProblemKind;
use crate::machine::program::matrix::{MatrixFragment, WarpProduct};
use crate::machine::program::operand::Source;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;
use crate::machine::threads::undefined_bits::{UndefinedBits, UndefinedCause};

/// What is undefined of the rows of a, the columns of b, or the elements of c; nothing is the usual case.
type UndefinedLines = Vec<Option<UndefinedBits>>;

/// Multiplies matrices and writes the sums.
pub fn multiply_fragments(executor: &mut Executor<'_, '_>, product: &WarpProduct, active: u32) {
    let size = product.size;
    let a = fragment(executor, &product.a, size.m * size.k);
    let b = fragment(executor, &product.b, size.n * size.k);
    let mut sums = fragment(executor, &product.c, size.m * size.n);
    let undefined = undefined_sums(executor, product);
    product.arithmetic.multiply(size, &a, &b, None, &mut sums);
    for (destination, elements) in product.d.parts() {
        executor.value = std::array::from_fn(|lane| {
            let element = |(shift, index): (u32, u32)| sums[(index + product.d.lanes[lane]) as usize] << shift;
            elements.clone().map(element).fold(0, |all, one| all | one)
        });
        executor.frame.set(destination, &executor.value, active);
    }
    if let Some(undefined) = undefined {
        mark_undefined_sums(executor, product, &undefined, active);
    }
}

/// The elements of a matrix, from the registers of all lanes.
fn fragment(executor: &Executor<'_, '_>, fragment: &MatrixFragment<Source>, count: usize) -> Vec<u64> {
    let mut elements = vec![0; count];
    let mask = fragment.mask();
    for (register, parts) in fragment.parts() {
        for (value, of_lane) in executor.values(register).iter().zip(&fragment.lanes) {
            for (shift, index) in parts.clone() {
                elements[(index + of_lane) as usize] = value >> shift & mask;
            }
        }
    }
    elements
}

/// What is undefined of the sums, row by row; `None` if all operands are defined in all lanes.
fn undefined_sums(executor: &Executor<'_, '_>, product: &WarpProduct) -> Option<UndefinedLines> {
    let fragments = [&product.a, &product.b, &product.c];
    let mut registers = fragments.iter().flat_map(|one| &one.registers);
    if registers.all(|register| executor.missing(*register, u32::MAX) == 0) {
        return None;
    }
    let size = product.size;
    let rows = undefined_lines(executor, &product.a, (size.m, size.k));
    let columns = undefined_lines(executor, &product.b, (size.n, size.k));
    let mut sums = undefined_lines(executor, &product.c, (size.m * size.n, 1));
    for (at, sum) in sums.iter_mut().enumerate() {
        for line in [&rows[at / size.n], &columns[at % size.n]].into_iter().flatten() {
            sum.get_or_insert_default().add_reads(line.clone());
        }
    }
    Some(sums)
}

/// What is undefined of each of some lines of a matrix with so many elements.
fn undefined_lines(
    executor: &Executor<'_, '_>,
    fragment: &MatrixFragment<Source>,
    (lines, length): (usize, usize),
) -> UndefinedLines {
    let mut found: UndefinedLines = vec![None; lines];
    for (register, parts) in fragment.parts() {
        let missing = executor.missing(register, u32::MAX);
        for lane in lanes_of(missing) {
            let mut undefined = executor.undefined(register, lane);
            if let (true, Source::Register(slot)) = (undefined.reads.is_empty(), register) {
                let cause = UndefinedCause::Problem(ProblemKind::UninitializedRegister { slot });
                undefined.reads.push((cause, executor.place()));
            }
            for (shift, index) in parts.clone() {
                if undefined.bits >> shift & fragment.mask() != 0 {
                    let line = (index + fragment.lanes[lane]) as usize / length;
                    found[line].get_or_insert_default().add_reads(undefined.clone());
                }
            }
        }
    }
    found
}

fn mark_undefined_sums(executor: &mut Executor<'_, '_>, product: &WarpProduct, sums: &UndefinedLines, active: u32) {
    let mut results = Vec::new();
    for (destination, elements) in product.d.parts() {
        for lane in lanes_of(active) {
            let mut undefined = UndefinedBits::default();
            for (shift, index) in elements.clone() {
                if let Some(sum) = &sums[(index + product.d.lanes[lane]) as usize] {
                    undefined.bits |= product.d.mask() << shift;
                    undefined.add_reads(sum.clone());
                }
            }
            if undefined.bits != 0 {
                results.push((destination.slot, lane, undefined));
            }
        }
    }
    executor.mark_undefined(results);
}

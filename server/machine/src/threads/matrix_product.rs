//! Products of matrices in the registers of a warp.

use crate::threads::executor::Executor;
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use program::lanes::lanes_of;
use program::matrix::{MatrixFragment, WarpProduct};
use program::operand::{Destination, Source};
use program::problem::ProblemKind;
use values::matrix::MatrixSize;

/// What is undefined of the rows of a, the columns of b, or the elements of c; nothing is the usual case.
pub type UndefinedLines = Vec<Option<UndefinedBits>>;

/// Multiplies matrices and writes the sums.
pub fn multiply_fragments(executor: &mut Executor<'_, '_>, product: &WarpProduct, active: u32) {
    let (size, products) = (product.size, product.products);
    let (of_a, of_b, of_sums) = (product.elements_of_a(), size.n * size.k, size.m * size.n);
    if let Some(sparsity) = &product.sparsity {
        executor.require_defined(sparsity.metadata, sparsity.lanes(size));
    }
    let a = fragment(executor, &product.a, products * of_a);
    let b = fragment(executor, &product.b, products * of_b);
    let mut sums = fragment(executor, &product.c, products * of_sums);
    let undefined = undefined_sums(executor, product);
    let kept = product.sparsity.as_ref().map(|sparsity| sparsity.kept(executor.values(sparsity.metadata), size));
    let each = a.chunks_exact(of_a).zip(b.chunks_exact(of_b)).zip(sums.chunks_exact_mut(of_sums));
    each.for_each(|((a, b), sums)| product.arithmetic.multiply(size, a, b, kept.as_deref(), sums));
    write_sums(executor, &product.d, &sums, active);
    if let Some(undefined) = undefined {
        mark_undefined_sums(executor, &product.d, &undefined, active);
    }
}

/// Writes sums, row by row, to their registers.
pub fn write_sums(executor: &mut Executor<'_, '_>, d: &MatrixFragment<Destination>, sums: &[u64], active: u32) {
    for (destination, elements) in d.parts() {
        executor.value = std::array::from_fn(|lane| {
            let element = |(shift, index): (u32, u32)| sums[(index + d.lanes[lane]) as usize] << shift;
            elements.clone().map(element).fold(0, |all, one| all | one)
        });
        executor.frame.set(destination, &executor.value, active);
    }
}

/// The elements of a matrix, from the registers of all lanes.
pub fn fragment(executor: &Executor<'_, '_>, fragment: &MatrixFragment<Source>, count: usize) -> Vec<u64> {
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
    let in_row = product.elements_of_a() / size.m;
    let rows = undefined_lines(executor, &product.a, (product.products * size.m, in_row));
    let columns = undefined_lines(executor, &product.b, (product.products * size.n, size.k));
    let sums = undefined_lines(executor, &product.c, (product.products * size.m * size.n, 1));
    Some(with_lines(sums, &rows, &columns, size))
}

/// What is undefined of each of some lines of a matrix with so many elements.
pub fn undefined_lines(
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

/// Marks the registers of sums that are undefined.
pub fn mark_undefined_sums(
    executor: &mut Executor<'_, '_>,
    d: &MatrixFragment<Destination>,
    sums: &UndefinedLines,
    active: u32,
) {
    let mut results = Vec::new();
    for (destination, elements) in d.parts() {
        for lane in lanes_of(active) {
            let mut undefined = UndefinedBits::default();
            for (shift, index) in elements.clone() {
                if let Some(sum) = &sums[(index + d.lanes[lane]) as usize] {
                    undefined.bits |= d.mask() << shift;
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

/// What is undefined of the sums with what is of their rows and columns.
pub fn with_lines(
    mut sums: UndefinedLines,
    rows: &UndefinedLines,
    columns: &UndefinedLines,
    size: MatrixSize,
) -> UndefinedLines {
    for (at, sum) in sums.iter_mut().enumerate() {
        let column = at / (size.m * size.n) * size.n + at % size.n;
        for line in [&rows[at / size.n], &columns[column]].into_iter().flatten() {
            sum.get_or_insert_default().add_reads(line.clone());
        }
    }
    sums
}

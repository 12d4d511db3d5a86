//! Matrices in the registers of a warp. Those that are loaded and stored have 8 by 8 elements of 16 bits: each lane holds two neighbours of a row, four
//! lanes a row.

use crate::lanes::LaneValues;
use crate::operand::{Destination, MachineAddress, Source};
use values::matrix::{MatrixArithmetic, MatrixSize};

/// What is done with matrices of a warp. The rows of matrix n in memory are at the addresses of the lanes from 8 n on.
#[derive(Debug)]
pub enum MatrixInstruction {
    /// `ldmatrix`, with a register for each matrix.
    Load(MachineAddress, Vec<Destination>, MatrixLayout),
    /// `stmatrix`, with a register for each matrix.
    Store(MachineAddress, Vec<Source>, MatrixLayout),
    /// `movmatrix`
    Move(Destination, Source),
    /// `mma`, `wmma.mma`
    Multiply(Box<WarpProduct>),
    /// `wmma.load`
    LoadFragment(Box<FragmentAccess<Destination>>),
    /// `wmma.store`
    StoreFragment(Box<FragmentAccess<Source>>),
}

impl MatrixInstruction {
    /// The product that it computes, if it does.
    pub fn product(&self) -> Option<&WarpProduct> {
        if let Self::Multiply(product) = self { Some(product) } else { None }
    }
}

/// A product of matrices in the registers of a warp.
#[derive(Debug)]
pub struct WarpProduct {
    /// The elements.
    pub size: MatrixSize,
    /// The number of products, each of so many elements.
    pub products: usize,
    /// How they are multiplied and added.
    pub arithmetic: MatrixArithmetic,
    /// The matrix a, row by row.
    pub a: MatrixFragment<Source>,
    /// The matrix b, column by column.
    pub b: MatrixFragment<Source>,
    /// The accumulator, row by row.
    pub c: MatrixFragment<Source>,
    /// The result, row by row.
    pub d: MatrixFragment<Destination>,
    /// Which elements are kept, if the matrix a is sparse.
    pub sparsity: Option<Sparsity>,
}

impl WarpProduct {
    /// The elements of a that are stored.
    pub const fn elements_of_a(&self) -> usize {
        let all = self.size.m * self.size.k;
        if self.sparsity.is_some() { all / 2 } else { all }
    }
}

/// Which elements of a sparse matrix are kept: lanes hold four bits for each group of four elements, two of 32 bits, or eight of 4 bits.
#[derive(Debug)]
pub struct Sparsity {
    /// The register of the metadata.
    pub metadata: Source,
    /// Which of the lanes that could hold them do.
    pub selector: u32,
    /// The bits of an element.
    pub bits: u32,
}

impl Sparsity {
    /// The elements of a group.
    const fn group(&self) -> usize {
        match self.bits {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// The lane that holds the bits of a group of a row, and how far they are shifted. Measured on an H200.
    const fn place(&self, row: usize, group: usize, groups: usize) -> (usize, usize) {
        let lanes = if groups > 4 { groups / 4 } else { 1 };
        let first = row % 8 * 4 + self.selector as usize * lanes;
        match self.bits {
            16 | 32 => (first + group / 4, row / 8 * 16 + group % 4 * 4),
            _ => (first + group / 8 * 2 + row / 8, group % 8 * 4),
        }
    }

    /// The lanes that hold the metadata.
    pub fn lanes(&self, size: MatrixSize) -> u32 {
        let groups = size.k / self.group();
        let places = (0..size.m).flat_map(|row| (0..groups).map(move |group| self.place(row, group, groups).0));
        places.fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// The row of b for each element of a, row by row.
    pub fn kept(&self, metadata: &LaneValues, size: MatrixSize) -> Vec<u16> {
        let (group, groups) = (self.group(), size.k / self.group());
        let mut kept = Vec::with_capacity(size.m * size.k / 2);
        for (row, number) in (0..size.m).flat_map(|row| (0..groups).map(move |number| (row, number))) {
            let (lane, shift) = self.place(row, number, groups);
            let bits = (metadata[lane] >> shift) as usize & 0xf;
            let (first, second) = (bits & 3, bits >> 2);
            let at = |element: usize| (number * group + element) as u16;
            match group {
                2 => kept.push(at(first / 2)),
                4 => kept.extend([at(first), at(second)]),
                _ => kept.extend([2 * first, 2 * first + 1, 2 * second, 2 * second + 1].map(at)),
            }
        }
        kept
    }
}

/// A matrix that the lanes of a warp load or store, each its part.
#[derive(Debug)]
pub struct FragmentAccess<R> {
    /// The address of the first element.
    pub address: MachineAddress,
    /// The distance of two lines, in elements of so many bits.
    pub stride: (Source, u32),
    /// The registers, with the position of each element: the line in the upper 16 bits, the place in it below.
    pub fragment: MatrixFragment<R>,
}

/// The part of a matrix that each lane holds.
#[derive(Debug)]
pub struct MatrixFragment<R> {
    /// The registers; the first has the first elements in its lowest bits.
    pub registers: Vec<R>,
    /// The bits of an element.
    pub bits: u32,
    /// What the number of a lane adds to the index of an element in the matrix.
    pub lanes: Vec<u32>,
    /// What the number of an element of a lane adds.
    pub elements: Vec<u32>,
}

impl<R: Copy> MatrixFragment<R> {
    /// The elements in each register.
    pub const fn per_register(&self) -> usize {
        if self.bits >= 32 { 1 } else { 32 / self.bits as usize }
    }

    /// Each register with the elements in it: how far its bits are shifted, and what the number of the element adds to its index.
    pub fn parts(&self) -> impl Iterator<Item = (R, impl Iterator<Item = (u32, u32)> + Clone)> {
        let parts = self.registers.iter().zip(self.elements.chunks(self.per_register()));
        parts.map(|(register, elements)| {
            (*register, elements.iter().enumerate().map(|(at, index)| (at as u32 * self.bits, *index)))
        })
    }

    /// The bits of an element as a mask.
    pub const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }
}

/// Which elements a lane holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Neighbours of a row.
    Rows,
    /// Neighbours of a column: `.trans`
    Columns,
}

impl MatrixLayout {
    /// The row and the column of one of the two elements that a lane holds.
    pub const fn position(self, lane: usize, element: usize) -> (usize, usize) {
        let (line, at) = (lane / 4, lane % 4 * 2 + element);
        match self {
            Self::Rows => (line, at),
            Self::Columns => (at, line),
        }
    }
}

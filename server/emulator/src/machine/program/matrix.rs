//! Matrices in the registers of a warp. Those that are loaded and stored have 8 by 8 elements of 16 bits: each lane holds two neighbours of a row, four
//! lanes a row.

use crate::machine::program::operand::{Destination, MachineAddress, Source};
use crate::matrix::{MatrixArithmetic, MatrixSize};

/// What is done with matrices of a warp. The rows of matrix n in memory are at the addresses of the lanes from 8 n on.
#[derive(Debug)]
pub enum MatrixInstruction {
    /// `ldmatrix`, with a register for each matrix.
    Load(MachineAddress, Vec<Destination>, MatrixLayout),
    /// `stmatrix`, with a register for each matrix.
    Store(MachineAddress, Vec<Source>, MatrixLayout),
    /// `movmatrix`
    Move(Destination, Source),
    /// `mma`
    Multiply(Box<WarpProduct>),
}

/// A product of matrices in the registers of a warp.
#[derive(Debug)]
pub struct WarpProduct {
    /// The elements.
    pub size: MatrixSize,
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

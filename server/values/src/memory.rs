//! Memory: little-endian bytes from a base address on, with checks of alignment and bounds.

use crate::value::{Shape, Value};

/// A range of addresses and its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    base: u64,
    bytes: Vec<u8>,
}

/// An invalid access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// The address is not a multiple of the required alignment.
    Misaligned {
        /// The address.
        address: u64,
        /// The required alignment in bytes: the size of the whole access.
        needs: u32,
    },
    /// A byte of the access is out of bounds.
    Outside {
        /// The address.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
        /// The first address of the memory.
        first: u64,
        /// The number of bytes that the memory has.
        length: u64,
    },
}

impl std::fmt::Display for AccessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Misaligned { address, needs } => {
                write!(f, "misaligned address {address:#x}: an access of {needs} bytes requires a multiple of {needs}")
            }
            Self::Outside { address, size, length: 0, .. } => {
                write!(f, "access of {size} bytes at {address:#x} is out of bounds: the memory is empty")
            }
            Self::Outside { address, size, first, length } => {
                let last = first.wrapping_add(length - 1);
                write!(
                    f,
                    "access of {size} bytes at {address:#x} is out of bounds: the memory has bytes {first:#x}..={last:#x}"
                )
            }
        }
    }
}

impl std::error::Error for AccessError {}

impl Memory {
    /// Memory that begins at the address `base`.
    pub fn new(base: u64, bytes: Vec<u8>) -> Self {
        Self { base, bytes }
    }

    /// The first address.
    pub const fn base(&self) -> u64 {
        self.base
    }

    /// Its bytes, lowest address first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value of this shape at the address.
    ///
    /// # Errors
    /// [`AccessError`] if the address is misaligned or out of bounds.
    pub fn load(&self, address: u64, shape: Shape) -> Result<Value, AccessError> {
        let at = self.offset(address, shape)?;
        let mut little_endian = [0; 16];
        let size = shape.bytes() as usize;
        little_endian[..size].copy_from_slice(&self.bytes[at..at + size]);
        Ok(Value::new(shape, u128::from_le_bytes(little_endian)))
    }

    /// Writes the value at the address.
    ///
    /// # Errors
    /// [`AccessError`] if the address is misaligned or out of bounds; nothing is written then.
    pub fn store(&mut self, address: u64, value: Value) -> Result<(), AccessError> {
        let at = self.offset(address, value.shape())?;
        let size = value.shape().bytes() as usize;
        self.bytes[at..at + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
        Ok(())
    }

    fn offset(&self, address: u64, shape: Shape) -> Result<usize, AccessError> {
        let size = shape.bytes();
        if !address.is_multiple_of(u64::from(size)) {
            return Err(AccessError::Misaligned { address, needs: size });
        }
        let length = self.bytes.len() as u64;
        address
            .checked_sub(self.base)
            .filter(|offset| offset.checked_add(u64::from(size)).is_some_and(|end| end <= length))
            .map(|offset| offset as usize)
            .ok_or(AccessError::Outside { address, size, first: self.base, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::types::Type;

    #[test]
    fn bytes_are_little_endian() {
        let mut memory = Memory::new(0x100, vec![0; 8]);
        memory.store(0x104, Value::new(Shape::scalar(Type::U32), 0x0102_0304)).expect("inside");
        assert_eq!(memory.bytes(), [0, 0, 0, 0, 4, 3, 2, 1]);
        let halves = Shape::new(Type::F16, 4).expect("64 bits");
        assert_eq!(memory.load(0x100, halves).expect("inside").bits(), 0x0102_0304_0000_0000);
    }

    #[test]
    fn errors_name_address_and_requirement() {
        let mut memory = Memory::new(0x100, vec![7; 8]);
        let said = |error: AccessError| error.to_string();
        assert_eq!(
            said(memory.load(0x102, Shape::scalar(Type::U32)).expect_err("misaligned")),
            "misaligned address 0x102: an access of 4 bytes requires a multiple of 4"
        );
        assert_eq!(
            said(memory.store(0x108, Value::new(Shape::scalar(Type::U64), 1)).expect_err("past the end")),
            "access of 8 bytes at 0x108 is out of bounds: the memory has bytes 0x100..=0x107"
        );
        assert!(memory.load(0xf0, Shape::scalar(Type::B128)).is_err());
        assert!(memory.load(u64::MAX - 7, Shape::scalar(Type::B64)).is_err());
        assert_eq!(
            said(Memory::new(0, vec![]).load(0, Shape::scalar(Type::U8)).expect_err("empty")),
            "access of 1 bytes at 0x0 is out of bounds: the memory is empty"
        );
        assert_eq!(memory.bytes(), [7; 8]);
    }
}

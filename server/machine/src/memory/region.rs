//! A range of bytes and which of them were written.

/// Bytes, with the information which of them have a defined value.
#[derive(Clone, Debug)]
pub struct MemoryBytes {
    bytes: Vec<u8>,
    /// A bit per byte that was written; `None` if all bytes are defined from the beginning, and none was made undefined.
    written: Option<Vec<u64>>,
    /// The bytes that are not defined.
    undefined: usize,
    /// Whether it has become longer, and may again.
    grows: bool,
}

impl MemoryBytes {
    /// Bytes that are defined.
    pub fn defined(bytes: Vec<u8>) -> Self {
        Self { bytes, written: None, undefined: 0, grows: false }
    }

    /// Zero bytes that count as undefined until they are written.
    pub fn undefined(length: usize) -> Self {
        Self { bytes: vec![0; length], written: Some(vec![0; length.div_ceil(64)]), undefined: length, grows: false }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Makes it longer by undefined bytes.
    pub fn grow(&mut self, length: usize) {
        if length > self.bytes.len() {
            let before = self.bytes.len();
            self.bytes.resize(length, 0);
            let written = self.written.get_or_insert_with(|| vec![u64::MAX; before.div_ceil(64)]);
            if let Some(last) = written.last_mut().filter(|_| !before.is_multiple_of(64)) {
                *last &= u64::MAX >> (64 - before % 64);
            }
            written.resize(length.div_ceil(64), 0);
            self.undefined += length - before;
            self.grows = true;
        }
    }

    /// Up to 8 bytes, little-endian. The range must be inside.
    #[inline]
    pub fn load(&self, offset: usize, size: u32) -> u64 {
        Self::value(&self.bytes[offset..offset + size as usize])
    }

    /// The value of up to 8 bytes, little-endian.
    #[inline]
    pub fn value(bytes: &[u8]) -> u64 {
        match *bytes {
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        }
    }

    /// Writes up to 8 bytes as [`Self::store`] does. Returns whether they were different.
    #[inline]
    pub fn exchange(&mut self, offset: usize, size: usize, value: u64) -> bool {
        let mask = u64::MAX >> (64 - 8 * size);
        let changes = self.load(offset, size as u32) != value & mask;
        self.store(offset, size as u32, value);
        changes
    }

    /// Writes up to 8 bytes, little-endian. The range must be inside.
    #[inline]
    pub fn store(&mut self, offset: usize, size: u32, value: u64) {
        let length = size as usize;
        self.bytes[offset..offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
        self.define(offset, length, true);
    }

    /// Up to 16 bytes, little-endian.
    pub fn load_wide(&self, offset: usize, size: u32) -> u128 {
        self.bytes[offset..offset + size as usize].iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
    }

    /// Writes up to 16 bytes, little-endian.
    pub fn store_wide(&mut self, offset: usize, size: u32, value: u128) {
        let length = size as usize;
        self.bytes[offset..offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
        self.define(offset, length, true);
    }

    /// Whether all bytes are defined from the beginning, and were always.
    pub const fn is_always_defined(&self) -> bool {
        self.written.is_none()
    }

    /// Copies defined bytes to an offset, where all are.
    pub fn copy_bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Copies bytes to an offset, with the information whether each is defined.
    pub fn write(&mut self, offset: usize, bytes: &[u8], defined: &[bool]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        for (at, is_defined) in defined.iter().enumerate() {
            self.define(offset + at, 1, *is_defined);
        }
    }

    /// The bytes of a range, and whether each is defined.
    pub fn read(&self, offset: usize, length: usize) -> (Vec<u8>, Vec<bool>) {
        let bytes = self.bytes[offset..offset + length].to_vec();
        (bytes, (offset..offset + length).map(|at| self.is_defined(at, 1)).collect())
    }

    /// Adds the contents to a hash.
    pub fn hash_contents(&self, hash: &mut impl std::hash::Hasher) {
        let Self { bytes, written, undefined: _, grows: _ } = self;
        std::hash::Hash::hash(&(bytes, written), hash);
    }

    /// Marks a range as defined or undefined.
    #[inline]
    pub fn define(&mut self, offset: usize, length: usize, defined: bool) {
        if self.written.is_none() && defined {
            return;
        }
        let words = self.bytes.len().div_ceil(64);
        let written = self.written.get_or_insert_with(|| vec![u64::MAX; words]);
        let (word, bit) = (offset / 64, offset % 64);
        if length > 0 && bit + length <= 64 {
            let mask = (u64::MAX >> (64 - length)) << bit;
            // Most writes are to what was written before, and counting bits takes longer than the write.
            if defined && written[word] & mask == mask {
                return;
            }
            self.undefined = define_bits(&mut written[word], mask, defined, self.undefined);
        } else {
            for at in offset..offset + length {
                self.undefined = define_bits(&mut written[at / 64], 1 << (at % 64), defined, self.undefined);
            }
        }
        if self.undefined == 0 && !self.grows {
            self.written = None;
        }
    }

    /// Whether some byte of a range is defined.
    #[inline]
    pub fn is_partly_defined(&self, offset: usize, length: usize) -> bool {
        self.is_defined(offset, length) || (offset..offset + length).any(|at| self.is_defined(at, 1))
    }

    /// Whether all bytes of a long range are defined.
    pub fn is_range_defined(&self, offset: usize, length: usize) -> bool {
        let Some(written) = &self.written else { return true };
        let (first, end) = (offset / 64, offset + length);
        (first..end.div_ceil(64)).all(|word| {
            let from = offset.saturating_sub(word * 64);
            let to = (end - word * 64).min(64);
            let mask = (u64::MAX << from) & (u64::MAX >> (64 - to));
            written[word] & mask == mask
        })
    }

    /// Whether all bytes of a range are defined.
    #[inline]
    pub fn is_defined(&self, offset: usize, length: usize) -> bool {
        let Some(written) = &self.written else { return true };
        let (word, bit) = (offset / 64, offset % 64);
        if bit + length <= 64 {
            let mask = (u64::MAX >> (64 - length)) << bit;
            return written[word] & mask == mask;
        }
        (offset..offset + length).all(|at| written[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// Marks bits of a word as defined or not; returns the number of bytes that are not, by what it was.
#[inline]
const fn define_bits(word: &mut u64, mask: u64, defined: bool, undefined: usize) -> usize {
    let known = (*word & mask).count_ones() as usize;
    if defined {
        *word |= mask;
        undefined + known - mask.count_ones() as usize
    } else {
        *word &= !mask;
        undefined + known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_defined_once_they_are_written() {
        let mut region = MemoryBytes::undefined(200);
        assert!(!region.is_defined(60, 8));
        region.store(60, 8, 0x0102_0304_0506_0708);
        assert!(region.is_defined(60, 8) && !region.is_defined(60, 9) && !region.is_defined(59, 2));
        assert_eq!((region.load(60, 8), region.load(62, 2), region.load(60, 1)), (0x0102_0304_0506_0708, 0x0506, 8));
        region.define(61, 1, false);
        assert!(region.is_partly_defined(60, 2) && !region.is_partly_defined(58, 2));
        assert!(!region.is_defined(60, 2) && region.is_defined(62, 6));
        region.store_wide(112, 16, u128::MAX - 1);
        assert_eq!(region.load_wide(112, 16), u128::MAX - 1);
        let mut defined = MemoryBytes::defined(vec![1; 70]);
        assert!(defined.is_defined(0, 70) && defined.is_always_defined());
        defined.write(64, &[2, 3], &[true, false]);
        assert!(defined.is_defined(0, 65) && !defined.is_defined(65, 1) && defined.is_defined(66, 4));
    }

    #[test]
    fn memory_all_of_which_was_written_is_defined() {
        let mut region = MemoryBytes::undefined(70);
        region.write(0, &[1; 66], &[true; 66]);
        assert!(!region.is_always_defined());
        region.store(66, 4, 7);
        assert!(region.is_always_defined());
        region.grow(72);
        assert!(region.is_defined(60, 10) && !region.is_defined(69, 2) && !region.is_always_defined());
        region.store(70, 2, 7);
        assert!(region.is_defined(60, 12));
    }
}

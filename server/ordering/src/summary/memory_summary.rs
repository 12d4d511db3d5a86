//! What is known of the accesses to a memory.

use crate::shadow::row::ROW;
use crate::shadow::shadow_access::WORD;
use crate::shadow::warp_reads::AccessOffsets;
use crate::summary::row_summary::{AccessedWords, Era, RowSummary};
use program::lanes::lanes_of;

/// Rows of a page.
const PAGE: usize = 32;

/// The rows of a memory, in pages that were accessed.
#[derive(Clone, Debug, Default)]
pub struct MemorySummary {
    pages: Vec<Option<Box<[RowSummary; PAGE]>>>,
    /// Whether something was read.
    pub is_read: bool,
    /// Whether something was written.
    pub is_written: bool,
}

impl MemorySummary {
    /// A row.
    #[inline]
    pub fn row(&mut self, row: usize) -> &mut RowSummary {
        let at = row / PAGE;
        if at >= self.pages.len() {
            self.pages.resize(at + 1, None);
        }
        let page = self.pages[at].get_or_insert_with(|| Box::new([const { RowSummary::EMPTY }; PAGE]));
        &mut page[row % PAGE]
    }

    /// Whether an element of some bytes is known to be accessed strongly in an era, all of it.
    #[inline]
    pub fn is_known_strong(&self, offset: usize, size: usize, era: Era) -> bool {
        let (row, word) = (offset / (ROW * WORD), offset / WORD % ROW);
        let words = if size == WORD { 1 << word } else { 3 << word };
        let page = self.pages.get(row / PAGE).and_then(Option::as_ref);
        matches!(size, 4 | 8) && page.is_some_and(|page| page[row % PAGE].is_known_strong(words, size as u32, era))
    }

    /// Whether lanes read elements of a row that several lanes are known to have read in an era.
    #[inline]
    pub fn is_known_read(&self, offsets: &AccessOffsets, lanes: u32, size: usize, era: Era) -> bool {
        const ROW_BYTES: usize = ROW * WORD;
        let row = offsets[lanes.trailing_zeros() as usize % 32] / ROW_BYTES;
        let Some(Some(page)) = self.pages.get(row / PAGE) else { return false };
        let of_element = u32::MAX >> (32 - size.div_ceil(WORD).min(ROW));
        let (mut words, mut distance) = (0, 0);
        for lane in lanes_of(lanes) {
            distance |= (offsets[lane] / ROW_BYTES) ^ row;
            words |= of_element << (offsets[lane] / WORD % ROW);
        }
        distance == 0 && page[row % PAGE].is_known_read(words, era)
    }

    /// The rows that were accessed, with their numbers.
    pub fn rows(&self) -> impl Iterator<Item = (usize, AccessedWords)> {
        let pages = self.pages.iter().enumerate().filter_map(|(at, page)| Some((at, page.as_ref()?)));
        let rows = pages.flat_map(|(at, page)| (at * PAGE..).zip(page.iter()));
        rows.map(|(at, row)| (at, row.accessed())).filter(|(_, accessed)| accessed.all() != 0)
    }

    /// The bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let pages = self.pages.iter().flatten().count() * size_of::<[RowSummary; PAGE]>();
        self.pages.len() * size_of::<usize>() + pages
    }
}

/// The words of a row.
pub const fn first_word(row: usize) -> usize {
    row * ROW
}

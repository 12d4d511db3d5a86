//! Sets of instructions, as states of an analysis.

/// The maximum number of members.
const CAPACITY: usize = 256;

/// A set of numbered sites of a function, of which only the first 256 are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteSet([u64; CAPACITY / 64]);

impl SiteSet {
    /// The maximum number of sites.
    pub const MAX_SITES: usize = CAPACITY;

    /// Adds a site.
    pub fn insert(&mut self, site: usize) {
        if let Some(word) = self.0.get_mut(site / 64) {
            *word |= 1 << (site % 64);
        }
    }

    /// Adds the sites of another set. Returns whether any is new.
    pub fn extend(&mut self, other: &SiteSet) -> bool {
        let before = *self;
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
        *self != before
    }

    /// Keeps only some of the sites.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        for site in self.iter().collect::<Vec<_>>() {
            if !keep(site) {
                self.0[site / 64] &= !(1 << (site % 64));
            }
        }
    }

    /// Whether it has a site.
    pub fn contains(&self, site: usize) -> bool {
        self.0.get(site / 64).is_some_and(|word| word & (1 << (site % 64)) != 0)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; CAPACITY / 64]
    }

    /// The sites in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..CAPACITY).filter(|site| self.contains(*site))
    }
}

//! Relations between events: bit rows.
//!
//! Must not know what an event is.

/// The most events that an execution may have.
pub const MOST: usize = 128;

/// A relation between up to [`MOST`] events: a row of successors for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    rows: Vec<u128>,
}

/// The events in a row, ascending.
pub fn members(mut row: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if row == 0 {
            return None;
        }
        let at = row.trailing_zeros() as usize;
        row &= row - 1;
        Some(at)
    })
}

/// Adds an edge to a relation that is transitive, so that it stays so.
pub(crate) fn add_transitive(rows: &mut [u128], from: usize, to: usize) -> bool {
    if rows[from] >> to & 1 == 1 {
        return false;
    }
    let (new, through) = (rows[to] | 1 << to, 1 << from);
    rows[from] |= new;
    for row in rows {
        *row |= if *row & through != 0 { new } else { 0 };
    }
    true
}

impl Relation {
    /// Without an edge.
    pub fn empty(count: usize) -> Self {
        Relation { rows: vec![0; count] }
    }

    /// With the edges that a predicate names.
    pub fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |a| (0..count).filter(|b| holds(a, *b)).fold(0, |row, b| row | 1 << b);
        Relation { rows: (0..count).map(row).collect() }
    }

    /// From rows of successors.
    pub fn from_rows(rows: Vec<u128>) -> Self {
        Relation { rows }
    }

    /// The number of events.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Whether an edge is there.
    pub fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] >> b & 1 == 1
    }

    /// Adds an edge.
    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    /// The successors of an event.
    pub fn row(&self, a: usize) -> u128 {
        self.rows[a]
    }

    /// All edges, ordered.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rows.iter().enumerate().flat_map(|(a, row)| members(*row).map(move |b| (a, b)))
    }

    /// Edges of either.
    pub fn or(&self, other: &Self) -> Self {
        Relation { rows: self.rows.iter().zip(&other.rows).map(|(a, b)| a | b).collect() }
    }

    /// Edges of both.
    pub fn and(&self, other: &Self) -> Self {
        Relation { rows: self.rows.iter().zip(&other.rows).map(|(a, b)| a & b).collect() }
    }

    /// The edges that a predicate holds for.
    pub fn filter(&self, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |(a, row): (usize, &u128)| members(*row).filter(|b| holds(a, *b)).fold(0, |row, b| row | 1 << b);
        Relation { rows: self.rows.iter().enumerate().map(row).collect() }
    }

    /// An edge of this, then one of the other.
    pub fn then(&self, other: &Self) -> Self {
        let row = |row: &u128| members(*row).fold(0, |all, b| all | other.rows[b]);
        Relation { rows: self.rows.iter().map(row).collect() }
    }

    /// Every edge, and an event with itself.
    pub fn optional(&self) -> Self {
        Relation { rows: self.rows.iter().enumerate().map(|(a, row)| row | 1 << a).collect() }
    }

    /// Every edge the other way.
    pub fn inverse(&self) -> Self {
        let mut inverse = Self::empty(self.count());
        self.edges().for_each(|(a, b)| inverse.add(b, a));
        inverse
    }

    /// One edge or several.
    pub fn closure(&self) -> Self {
        let mut rows = self.rows.clone();
        for middle in 0..rows.len() {
            let through = rows[middle];
            for row in &mut rows {
                if *row >> middle & 1 == 1 {
                    *row |= through;
                }
            }
        }
        Relation { rows }
    }

    /// An event that is related to itself.
    pub fn reflexive(&self) -> Option<usize> {
        (0..self.count()).find(|a| self.has(*a, *a))
    }

    /// A shortest path of edges, both ends included; of a path from an event to itself, the event is first and last.
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut came = vec![usize::MAX; self.count()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in members(self.rows[at]) {
                if next == to {
                    let mut path = vec![to, at];
                    let mut back = at;
                    while back != from {
                        back = came[back];
                        path.push(back);
                    }
                    path.reverse();
                    return Some(path);
                }
                if came[next] == usize::MAX && next != from {
                    came[next] = at;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// A shortest cycle, its first event last again.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let reach = self.closure();
        (0..self.count()).filter(|a| reach.has(*a, *a)).filter_map(|a| self.path(a, a)).min_by_key(Vec::len)
    }
}

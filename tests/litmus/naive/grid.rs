//! Relations as Boolean matrices.

pub type Grid = Vec<Vec<bool>>;

pub fn grid(n: usize, holds: impl Fn(usize, usize) -> bool) -> Grid {
    (0..n).map(|a| (0..n).map(|b| holds(a, b)).collect()).collect()
}

pub fn then(a: &Grid, b: &Grid) -> Grid {
    let n = a.len();
    grid(n, |x, z| (0..n).any(|y| a[x][y] && b[y][z]))
}

pub fn or(a: &Grid, b: &Grid) -> Grid {
    grid(a.len(), |x, y| a[x][y] || b[x][y])
}

pub fn and(a: &Grid, b: &Grid) -> Grid {
    grid(a.len(), |x, y| a[x][y] && b[x][y])
}

pub fn plus(a: &Grid) -> Grid {
    let mut all = a.clone();
    for y in 0..a.len() {
        let from_y = all[y].clone();
        for row in &mut all {
            if row[y] {
                row.iter_mut().zip(&from_y).for_each(|(to, through)| *to |= through);
            }
        }
    }
    all
}

pub fn acyclic(a: &Grid) -> bool {
    let all = plus(a);
    (0..a.len()).all(|x| !all[x][x])
}

/// Whether an edge is so.
pub fn any(a: &Grid, holds: impl Fn(usize, usize) -> bool) -> bool {
    (0..a.len()).any(|x| (0..a.len()).any(|y| a[x][y] && holds(x, y)))
}

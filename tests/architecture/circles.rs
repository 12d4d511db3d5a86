//! Files of a crate that refer to each other in a circle.

use crate::modules::{Crate, File};
use crate::resolve::Resolved;
use std::collections::BTreeSet;

type Edges = BTreeSet<(File, File)>;

/// The groups of files that can each reach all others of their group, largest first. What a module's file takes from the files below it does not
/// count: a parent puts its children together, and children may use what it defines.
pub fn circles(resolved: &Resolved) -> Vec<Vec<String>> {
    let upwards = |edge: &&(File, File)| !lineage(&resolved.read, edge.1).contains(&edge.0);
    groups(&resolved.read, &resolved.references.iter().filter(upwards).copied().collect())
}

/// Circles between the children of one module, each with all of its descendants.
pub fn sibling_circles(resolved: &Resolved) -> Vec<Vec<String>> {
    let mut edges = Edges::new();
    for (from, to) in &resolved.references {
        let (from, to) = (lineage(&resolved.read, *from), lineage(&resolved.read, *to));
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if common < from.len() && common < to.len() {
            edges.insert((from[common], to[common]));
        }
    }
    groups(&resolved.read, &edges)
}

/// A file and all whose modules hold its own, the root first.
fn lineage(read: &Crate, file: File) -> Vec<File> {
    let mut lineage: Vec<_> = std::iter::successors(Some(file), |file| read.parents[*file]).collect();
    lineage.reverse();
    lineage
}

fn groups(read: &Crate, edges: &Edges) -> Vec<Vec<String>> {
    let reachable: Vec<BTreeSet<File>> = (0..read.files.len()).map(|file| reach(edges, file)).collect();
    let group = |file: File| -> Vec<File> {
        reachable[file].iter().copied().filter(|other| reachable[*other].contains(&file)).collect()
    };
    let found: BTreeSet<Vec<File>> = (0..read.files.len()).map(group).collect();
    let mut found: Vec<Vec<String>> = found
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|file| read.files[*file].display().to_string()).collect())
        .collect();
    found.iter_mut().for_each(|group| group.sort());
    found.sort_by_key(|group| std::cmp::Reverse(group.len()));
    found
}

fn reach(edges: &Edges, start: File) -> BTreeSet<File> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        for (_, to) in edges.range((file, 0)..(file + 1, 0)) {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

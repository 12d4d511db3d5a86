//! The places in a compiler's source of the instructions of a problem, by the line information of the module. The source is not read: a module can
//! name any file.

use serde_json::{Value as Json, json};
use std::env;
use std::path::Path;
use syntax::{LintFile, SourceLocation};

/// The places in the order of the instructions, without repetitions.
pub type SourcePlaces = Vec<SourceLocation>;

/// The most of them that the text names.
const MOST: usize = 4;

/// The places of the code at some offsets of a module.
pub fn of(file: &LintFile, offsets: &[usize]) -> SourcePlaces {
    let mut ascending = offsets.to_vec();
    ascending.sort_unstable();
    ascending.dedup();
    let locations = file.source_locations(&file.module_items(), &ascending);
    let mut all = SourcePlaces::new();
    for offset in offsets {
        let found = ascending.binary_search(offset).ok().and_then(|at| locations[at].as_deref());
        if let Some(found) = found.filter(|found| !all.contains(found)) {
            all.push(found.clone());
        }
    }
    all
}

/// A line that names them, if there are some: the first one is that of the problem.
pub fn text(places: &SourcePlaces) -> String {
    let named: Vec<String> = places.iter().take(MOST).map(name).collect();
    match &named[..] {
        [] => String::new(),
        [only] => format!("  --> {only}\n"),
        [first, others @ ..] => format!("  --> {first}, and {}\n", others.join(", ")),
    }
}

/// The same for programs, all of them.
pub fn json(places: &SourcePlaces) -> Json {
    places.iter().map(|place| json!({ "path": place.path, "line": place.line })).collect()
}

/// A place, with the call that it was inlined at.
fn name(location: &SourceLocation) -> String {
    let folder = env::current_dir().unwrap_or_default();
    let one = |place: &SourceLocation| {
        let path = Path::new(&place.path);
        format!("{}:{}", path.strip_prefix(&folder).unwrap_or(path).display(), place.line)
    };
    let chain: Vec<String> = location.places().map(one).collect();
    chain.join(", inlined at ")
}

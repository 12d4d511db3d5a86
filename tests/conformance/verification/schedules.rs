//! The schedules of `run` are among the executions that `check` explores: the right kernels of `tests/evidence/verification`, which nvcc compiled.

use crate::checked::{CheckedModule, FinalMemory, sized};
use explorer::Omission;
use kernel::arguments::launch::KernelLaunch;
use program::Dimensions;
use std::collections::BTreeSet;
use std::path::Path;

/// The sources of kernels and their wrong twins.
pub const SOURCES: [&str; 5] = ["twins", "waits", "structures", "shared", "scopes"];

/// The launches that the comments `// twins NAME: CTAS THREADS ARGUMENTS OPTIONS => MISTAKE` of a source ask for.
pub fn launches(folder: &Path, source: &str) -> Vec<KernelLaunch> {
    let text = std::fs::read_to_string(folder.join(source).with_extension("cu")).expect("a source");
    let comments = text.lines().filter_map(|line| line.strip_prefix("// twins ")?.rsplit_once(" => "));
    comments.map(|(comment, _)| launch(comment)).collect()
}

fn launch(comment: &str) -> KernelLaunch {
    let (name, sizes) = comment.split_once(": ").expect("a name");
    let words: Vec<&str> = sizes.split(' ').collect();
    let number = |word: &str| word.parse().expect("a number");
    let kernel = format!("{name}_right");
    let specs = words[2..].iter().take_while(|word| word.contains('['));
    let arguments: Vec<String> = specs.enumerate().map(|(at, spec)| format!("{kernel}_param_{at}={spec}")).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let cluster = words.iter().position(|word| *word == "--cluster");
    let cluster = cluster.map(|at| Dimensions([number(words[at + 1]), 1, 1]));
    KernelLaunch { cluster, ..sized(&kernel, number(words[0]), number(words[1]), &arguments) }
}

#[test]
fn schedules_of_compiled_kernels_are_among_the_explored_executions() {
    let schedules = if support::full() { 1_000 } else { 50 };
    let folder = support::evidence("verification");
    let (mut kernels, mut several) = (0, 0);
    for source in SOURCES {
        let text = std::fs::read_to_string(folder.join(source).with_extension("ptx")).expect("a module");
        let module = CheckedModule::new(&text);
        for wanted in launches(&folder, source) {
            let launch = module.launch(&wanted);
            let (found, explored) = launch.explored(1_000_000);
            // What load buffering allows beyond is what no schedule does.
            let is_finished = matches!(found.unfinished(), None | Some(Omission::LoadBuffering(_)));
            assert!(found.problems.is_empty() && is_finished, "{}: {:?}", launch.name(), found.problems);
            let seen: BTreeSet<FinalMemory> = (0..schedules).map(|seed| launch.run(seed)).collect();
            let unknown: Vec<&FinalMemory> = seen.difference(&explored).collect();
            assert!(unknown.is_empty(), "{}: not explored: {unknown:?}", launch.name());
            kernels += 1;
            several += usize::from(explored.len() > 1);
        }
    }
    assert!(kernels >= 140 && several >= 10, "{kernels} kernels, {several} with several ends");
}

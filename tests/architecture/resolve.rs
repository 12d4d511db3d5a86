//! What the paths of a crate lead to: through `use` declarations, renamed or not, globs and re-exports, to the file that defines what they name.
//!
//! A method's call names no path, so who calls a method of a type that is handed over is not seen; who names the type is. Who may see a name is not
//! asked: the compiler has done that.

use crate::modules::{Crate, File, Kind, Module, Segments};
use std::collections::{BTreeMap, BTreeSet};

/// The paths of a crate, resolved.
pub struct Resolved {
    /// The crate.
    pub read: Crate,
    /// The references from file to file, without those of a file to itself.
    pub references: BTreeSet<(File, File)>,
    /// What each file names in other crates, as a full path.
    pub external: BTreeSet<(File, Segments)>,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(usize),
    Item(File, Kind),
    External(Segments),
}

type Targets = BTreeSet<Target>;

/// A `use` of a name that is its own first word would go on for ever; no real path has as many segments.
const LONGEST_PATH: usize = 8;

/// Whether a name that the crate does not have refers to another crate: only known after all its own names are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Unknown,
    Named,
}

/// Names of a module: a name can stand for a module, a type and a function at once.
type Scope = BTreeMap<String, Targets>;

impl Resolved {
    /// Resolves all paths of a crate.
    pub fn new(read: Crate) -> Self {
        let scopes = scopes(&read.modules);
        let (mut references, mut external) = (BTreeSet::new(), BTreeSet::new());
        for (at, module) in read.modules.iter().enumerate() {
            let imported = module.imports.iter().map(|(_, path)| path);
            for path in module.paths.iter().chain(imported).chain(&module.globs) {
                for target in resolve(&read.modules, &scopes, Others::Named, at, path) {
                    match target {
                        // A module that is only named leads nowhere yet; what is taken out of it does.
                        Target::Module(_) => {}
                        Target::Item(file, _) => {
                            references.insert((module.file, file));
                        }
                        Target::External(path) => {
                            external.insert((module.file, path));
                        }
                    }
                }
            }
        }
        references.retain(|(from, to)| from != to);
        Self { read, references, external }
    }
}

/// The names of each module. A `use` may lead through names that other `use`s bring in, so they are gone through until nothing is new.
fn scopes(modules: &[Module]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = modules.iter().map(own_names).collect();
    let explicit: Vec<BTreeSet<&str>> = modules.iter().map(explicit_names).collect();
    let mut others = Others::Unknown;
    loop {
        let mut more: Vec<(usize, String, Target)> = Vec::new();
        for (at, module) in modules.iter().enumerate() {
            let is_new =
                |name: &str, target: &Target| !scopes[at].get(name).is_some_and(|known| known.contains(target));
            for (name, path) in &module.imports {
                let found =
                    resolve(modules, &scopes, others, at, path).into_iter().filter(|target| is_new(name, target));
                more.extend(found.map(|target| (at, name.clone(), target)));
            }
            for other in glob_modules(modules, &scopes, others, at) {
                for (name, targets) in scopes[other].iter().filter(|(name, _)| !explicit[at].contains(name.as_str())) {
                    let found = targets.iter().filter(|target| is_new(name, target));
                    more.extend(found.map(|target| (at, name.clone(), target.clone())));
                }
            }
        }
        match (more.is_empty(), others) {
            (true, Others::Unknown) => others = Others::Named,
            (true, Others::Named) => return scopes,
            (false, _) => {}
        }
        for (at, name, target) in more {
            scopes[at].entry(name).or_default().insert(target);
        }
    }
}

fn own_names(module: &Module) -> Scope {
    let mut scope = Scope::new();
    for (name, child) in &module.children {
        scope.entry(name.clone()).or_default().insert(Target::Module(*child));
    }
    for (name, kind) in &module.defined {
        scope.entry(name.clone()).or_default().insert(Target::Item(module.file, *kind));
    }
    scope
}

/// The names that a module has otherwise than by a glob: they shadow a glob's.
fn explicit_names(module: &Module) -> BTreeSet<&str> {
    let children = module.children.keys().map(String::as_str);
    let defined = module.defined.iter().map(|(name, _)| name.as_str());
    children.chain(defined).chain(module.imports.iter().map(|(name, _)| name.as_str())).collect()
}

fn glob_modules(modules: &[Module], scopes: &[Scope], others: Others, at: usize) -> Vec<usize> {
    let targets = modules[at].globs.iter().flat_map(|path| resolve(modules, scopes, others, at, path));
    let held = targets.filter_map(|target| match target {
        Target::Module(other) if other != at => Some(other),
        _ => None,
    });
    held.collect()
}

fn resolve(modules: &[Module], scopes: &[Scope], others: Others, at: usize, path: &[String]) -> Targets {
    let Some((first, rest)) = path.split_first() else { return Targets::new() };
    let mut targets = match first.as_str() {
        "crate" => Targets::from([Target::Module(0)]),
        "self" => Targets::from([Target::Module(at)]),
        "super" => modules[at].parent.map(Target::Module).into_iter().collect(),
        name => first_segment(&modules[at], &scopes[at], others, name, rest),
    };
    for name in rest {
        targets = targets.into_iter().flat_map(|target| enter(modules, scopes, target, name)).collect();
    }
    targets
}

/// What the first word of a path refers to: a name in scope, or else another crate, or a name out of another crate's glob.
fn first_segment(module: &Module, scope: &Scope, others: Others, name: &str, rest: &[String]) -> Targets {
    let local = ["crate", "self", "super"];
    let globs = module.globs.iter().filter(|glob| glob.first().is_some_and(|first| !local.contains(&first.as_str())));
    let named = globs.map(|glob| [glob.as_slice(), &[name.to_owned()]].concat());
    let external = || match others {
        Others::Unknown => Targets::new(),
        Others::Named => named.chain([vec![name.to_owned()]]).map(Target::External).collect(),
    };
    let Some(known) = scope.get(name) else { return external() };
    let ends_here = known.iter().all(|target| matches!(target, Target::Item(_, Kind::Value)));
    if ends_here && !rest.is_empty() { external() } else { known.clone() }
}

fn enter(modules: &[Module], scopes: &[Scope], target: Target, name: &str) -> Targets {
    match target {
        Target::Module(module) if name == "super" => modules[module].parent.map(Target::Module).into_iter().collect(),
        Target::Module(module) => scopes[module].get(name).cloned().unwrap_or_default(),
        Target::Item(_, Kind::Type) => Targets::from([target]),
        Target::Item(_, Kind::Value) => Targets::new(),
        Target::External(path) if path.len() < LONGEST_PATH => {
            Targets::from([Target::External([path, vec![name.to_owned()]].concat())])
        }
        Target::External(_) => Targets::new(),
    }
}

//! Which statements a build for a device certainly compiles: those of kernels, and of what kernels call.
//!
//! Compilers drop functions that nobody calls, and templates that nobody instantiates. Anything that depends on something unknown is not certain.

mod header;
#[cfg(test)]
mod tests;
mod walk;

use super::preprocessor::Archs;
use header::Linkage;
use std::collections::{HashMap, HashSet};

/// For which devices a build certainly compiles each statement of a text.
#[derive(Clone, Debug, Default)]
pub struct Reachability {
    /// By where the keyword of a statement begins, in order.
    statements: Vec<(usize, Archs)>,
}

impl Reachability {
    /// That of a text in C++.
    pub fn of(text: &str) -> Self {
        let found = walk::walk(text);
        if found.lost {
            return Reachability::default();
        }
        let reached = found.reached();
        let archs = |site: &walk::HostSite| match site.function {
            Some(function) => reached[function].and(&site.must),
            None => site.must.clone(),
        };
        Reachability { statements: found.statements.iter().map(|(start, site)| (*start, archs(site))).collect() }
    }

    /// The values of `__CUDA_ARCH__` for which a build certainly compiles the statement whose keyword begins at a byte offset.
    pub fn certain(&self, keyword: usize) -> Archs {
        let found = self.statements.binary_search_by_key(&keyword, |(start, _)| *start);
        found.map_or_else(|_| Archs::none(), |at| self.statements[at].1.clone())
    }
}

/// The definitions, calls and statements of a text.
#[derive(Debug, Default)]
struct SourceFacts<'t> {
    functions: Vec<Function<'t>>,
    calls: Vec<(&'t str, walk::HostSite)>,
    /// All names in bodies of functions.
    mentioned: HashSet<&'t str>,
    statements: Vec<(usize, walk::HostSite)>,
    /// The braces made no sense, as where branches of an `#if` open the same block.
    lost: bool,
}

#[derive(Debug)]
struct Function<'t> {
    name: &'t str,
    linkage: Linkage,
    /// The devices for which it is certainly defined.
    must: Archs,
}

impl SourceFacts<'_> {
    /// For which devices each function is certainly compiled.
    fn reached(&self) -> Vec<Archs> {
        let is_root = |function: &Function| match function.linkage {
            Linkage::Kernel => true,
            // Who compiles parts apart has a caller elsewhere.
            Linkage::External => !self.mentioned.contains(function.name),
            Linkage::Local | Linkage::Member => false,
        };
        let none_or = |function: &Function| if is_root(function) { function.must.clone() } else { Archs::none() };
        let mut reached: Vec<Archs> = self.functions.iter().map(none_or).collect();
        let callable = self.callable();
        loop {
            let mut changed = false;
            for (name, site) in &self.calls {
                let (Some(callee), Some(caller)) = (callable.get(name), site.function) else { continue };
                let here = reached[caller].and(&site.must).and(&self.functions[*callee].must);
                let both = reached[*callee].or(&here);
                if both != reached[*callee] {
                    reached[*callee] = both;
                    changed = true;
                }
            }
            if !changed {
                return reached;
            }
        }
    }

    /// The function that a call of a name certainly means: of overloads nobody knows which.
    fn callable(&self) -> HashMap<&str, usize> {
        let mut count: HashMap<&str, usize> = HashMap::new();
        self.functions.iter().for_each(|function| *count.entry(function.name).or_default() += 1);
        let all = self.functions.iter().enumerate();
        let only = all.filter(|(_, function)| function.linkage != Linkage::Member && count[function.name] == 1);
        only.map(|(at, function)| (function.name, at)).collect()
    }
}

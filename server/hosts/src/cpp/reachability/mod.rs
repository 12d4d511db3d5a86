//! The statements that a build for a device certainly compiles: those of kernels, and of functions that kernels call.
//!
//! Compilers drop unused functions and templates. Code that depends on an unknown name or condition is not certain.

mod header;
#[cfg(test)]
mod tests;
mod walk;

use super::preprocessor::Archs;
use header::Linkage;
use std::collections::{HashMap, HashSet};

/// The devices for which a build certainly compiles each statement of a text.
#[derive(Clone, Debug, Default)]
pub struct Reachability {
    /// By the offset of the statement's keyword, in order.
    statements: Vec<(usize, Archs)>,
}

impl Reachability {
    /// The reachability of the statements of a C++ text.
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
    /// Whether braces are unmatched, as when several branches of an `#if` open the same block.
    lost: bool,
}

#[derive(Debug)]
struct Function<'t> {
    name: &'t str,
    linkage: Linkage,
    /// The devices for which the function is certainly defined.
    must: Archs,
}

impl SourceFacts<'_> {
    /// The devices for which each function is certainly compiled.
    fn reached(&self) -> Vec<Archs> {
        let is_root = |function: &Function| match function.linkage {
            Linkage::Kernel => true,
            // With separate compilation, the caller may be in another text.
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

    /// The function that a call certainly refers to; `None` for overloads.
    fn callable(&self) -> HashMap<&str, usize> {
        let mut count: HashMap<&str, usize> = HashMap::new();
        self.functions.iter().for_each(|function| *count.entry(function.name).or_default() += 1);
        let all = self.functions.iter().enumerate();
        let only = all.filter(|(_, function)| function.linkage != Linkage::Member && count[function.name] == 1);
        only.map(|(at, function)| (function.name, at)).collect()
    }
}

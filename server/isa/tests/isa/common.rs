//! What the tests of the tables share: every legal form, and random numbers with a fixed seed.

use ptx_isa::target::{Target, Version};
use ptx_isa::{Module, Resolution, Spelling, complete, resolve};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// A module of this version and target.
pub fn module(version: &str, target: &str) -> Module {
    Module { version: Version::parse(version), target: Target::parse(target) }
}

/// The newest of everything.
pub fn newest() -> Module {
    module("9.5", "sm_100a")
}

/// The verdict on an opcode given as one text.
pub fn verdict(opcode: &str, module: &Module) -> Resolution {
    let parts: Vec<&str> = opcode.split('.').collect();
    resolve(&Spelling { mnemonic: parts[0], modifiers: &parts[1..] }, module)
}

/// Mnemonics that [`newest`] does not have, with a target that has them.
pub const ON_ONE_TARGET: [(&str, &str); 4] =
    [("wgmma", "sm_90a"), ("spcompress", "sm_107a"), ("spdecompress", "sm_107a"), ("trace", "sm_107f")];

/// The mnemonics all of whose legal opcodes can be listed on [`newest`]; `ld` and `st` have millions.
pub fn listable() -> impl Iterator<Item = &'static str> {
    let is_elsewhere = |mnemonic: &str| ON_ONE_TARGET.iter().any(|(other, _)| *other == mnemonic);
    ptx_isa::mnemonics().filter(move |mnemonic| !["ld", "st"].contains(mnemonic) && !is_elsewhere(mnemonic))
}

/// Every legal opcode of a mnemonic, each in one order, found by accepting completions alone.
pub fn legal_forms(mnemonic: &'static str) -> &'static [Vec<&'static str>] {
    static FOUND: LazyLock<HashMap<&str, Vec<Vec<&str>>>> =
        LazyLock::new(|| listable().map(|mnemonic| (mnemonic, find_forms(mnemonic))).collect());
    &FOUND[mnemonic]
}

/// Those of them that are atomics: `red.async` is none.
pub fn atomic_forms(mnemonic: &'static str) -> Vec<Vec<&'static str>> {
    let is_atomic = |form: &&Vec<&'static str>| match resolve(&Spelling { mnemonic, modifiers: form }, &newest()) {
        Resolution::Legal(instruction) => instruction.family.is_atomic(),
        _ => panic!("{mnemonic}.{form:?}"),
    };
    legal_forms(mnemonic).iter().filter(is_atomic).cloned().collect()
}

/// How many of a form's words belong to the opcode and so stand first.
pub fn opcode_words(mnemonic: &str, form: &[&str]) -> usize {
    let opcode = format!("{mnemonic}.{}.", form.join("."));
    let fits = ptx_isa::families().filter(|family| opcode.starts_with(&format!("{}.", family.name)));
    fits.map(|family| family.name.matches('.').count()).max().unwrap_or_default()
}

/// The mnemonics of the atomics.
pub const ATOMICS: [&str; 3] = ["atom", "red", "multimem"];

fn find_forms(mnemonic: &str) -> Vec<Vec<&'static str>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut todo: Vec<Vec<&'static str>> = vec![Vec::new()];
    while let Some(words) = todo.pop() {
        let candidates = complete(&Spelling { mnemonic, modifiers: &words }, &newest());
        for candidate in candidates.into_iter().filter(|candidate| candidate.requires.is_none()) {
            let mut longer = words.clone();
            longer.push(candidate.word);
            let mut set = longer.clone();
            set.sort_unstable();
            if seen.insert(set) {
                if candidate.finishes {
                    found.push(longer.clone());
                }
                todo.push(longer);
            }
        }
    }
    found
}

/// A small generator of random numbers (splitmix64), the same on every run.
pub struct Random(pub u64);

impl Random {
    /// A number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// Puts a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

//! The PTX forms that compile to a machine instruction.

use crate::lowering::{LoweringKind, RECORDED, ResultUse, accesses_of, everywhere};
use crate::resolve::{Resolution, ResolvedInstruction, resolve};
use crate::spelling::Spelling;
use crate::tables::form::Family;
use crate::tables::table::families;
use crate::target::Module;
use crate::types::{Scope, Sem};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// A PTX form that becomes a machine instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The opcode with its modifiers; ordering and scope are omitted if they are the defaults.
    pub form: String,
    /// How the form makes its access: this instruction is all of it, the body of a loop, or one arm of a branch.
    pub kind: LoweringKind,
    /// Whether only if the value is the constant 1.
    pub one: bool,
    /// Whether only if the result is not used.
    pub unused: bool,
    /// On which recorded targets.
    pub targets: Vec<&'static str>,
}

/// The PTX forms whose access is made by a machine instruction, given with all its modifiers; native ones and shorter forms first.
pub fn origins(opcode: &str) -> &'static [Origin] {
    ORIGINS.get(opcode).map_or(&[], Vec::as_slice)
}

/// The machine instructions that make the access of some form.
pub fn accesses() -> impl Iterator<Item = &'static str> {
    ORIGINS.keys().map(String::as_str)
}

type InverseTable = HashMap<String, Vec<Origin>>;

static ORIGINS: LazyLock<InverseTable> = LazyLock::new(|| {
    let mut found: BTreeMap<(String, String, LoweringKind, bool), [Vec<&'static str>; 2]> = BTreeMap::new();
    for family in families().filter(|family| family.is_atomic()) {
        each_form(family, |instruction, form| {
            for result in ResultUse::ALL {
                for one in everywhere(instruction, result) {
                    let usual = one.accesses().map(|access| (access, false));
                    for (access, constant) in usual.chain(accesses_of(&one.one).map(|access| (access, true))) {
                        let key = (access.to_owned(), form.to_owned(), one.kind, constant);
                        found.entry(key).or_default()[result as usize].push(one.recorded);
                    }
                }
            }
        });
    }
    let mut table = InverseTable::new();
    for ((access, form, kind, one), [used, unused]) in found {
        let only_unused = used.is_empty();
        let on = |target: &&'static str| used.contains(target) || unused.contains(target);
        let targets = RECORDED.iter().copied().filter(on).collect();
        table.entry(access).or_default().push(Origin { form, kind, one, unused: only_unused, targets });
    }
    for origins in table.values_mut() {
        origins.sort_by_cached_key(|origin| {
            (origin.kind, origin.form.split('.').count(), origin.unused, origin.form.len(), origin.form.clone())
        });
    }
    table
});

/// Every form of a family, with the default memory ordering where possible, and without hints.
fn each_form(family: &'static Family, mut then: impl FnMut(&ResolvedInstruction, &str)) {
    let (mnemonic, second) = family.name.split_once('.').map_or((family.name, None), |(m, s)| (m, Some(s)));
    for row in &family.rows {
        let mut spellings: Vec<Vec<&'static str>> = vec![second.into_iter().collect()];
        for place in &row.places {
            let words = family.texts(place.words - family.ignored);
            let mut choices: Vec<Option<&str>> = match family.slots[place.slot].name {
                "hint" => Vec::new(),
                "sem" => words.filter(|word| *word == "relaxed").map(Some).collect(),
                _ => words.map(Some).collect(),
            };
            if !place.required {
                choices.push(None);
            }
            let with = |choice: &Option<&'static str>| {
                let longer = |words: &Vec<&'static str>| words.iter().copied().chain(*choice).collect::<Vec<_>>();
                spellings.iter().map(longer).collect::<Vec<_>>()
            };
            spellings = choices.iter().flat_map(with).collect();
        }
        for words in spellings {
            let Some(instruction) = legal(mnemonic, &words) else { continue };
            if !says_defaults(mnemonic, &words, &instruction) {
                then(&instruction, &format!("{mnemonic}.{}", words.join(".")));
            }
        }
    }
}

fn legal(mnemonic: &str, modifiers: &[&str]) -> Option<ResolvedInstruction> {
    let (spelling, module) = (Spelling { mnemonic, modifiers }, Module::default());
    // Most are illegal, and `is_legal` is cheaper than `resolve`, which computes the reasons.
    match crate::is_legal(&spelling, &module)?.then(|| resolve(&spelling, &module))? {
        Resolution::Legal(instruction) => Some(instruction),
        _ => None,
    }
}

/// Whether there is a shorter form that means the same, or a more usual name of the space.
fn says_defaults(mnemonic: &str, words: &[&str], instruction: &ResolvedInstruction) -> bool {
    let meant = |one: &ResolvedInstruction| (one.sem.map(|sem| sem.value), one.scope.map(|scope| scope.value));
    let orders = |word: &&str| Sem::parse(word).is_some() || Scope::parse(word).is_some();
    let shorter = words.iter().filter(|word| orders(word)).any(|left_out| {
        let rest: Vec<&str> = words.iter().copied().filter(|word| word != left_out).collect();
        let neither: Vec<&str> = words.iter().copied().filter(|word| !orders(word)).collect();
        [rest, neither]
            .iter()
            .filter_map(|words| legal(mnemonic, words))
            .any(|other| meant(&other) == meant(instruction))
    });
    shorter || words.contains(&"shared::cta")
}

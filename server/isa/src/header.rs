//! Checks `.version` and `.target`, and whether they are compatible.

use crate::reason::{Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
use crate::target::{Module, Target, Version};

/// The options of `.target` besides the architecture, with the first version that has each.
const OPTIONS: [(&str, Version); 4] = [
    ("texmode_unified", Version::new(1, 0)),
    ("map_f64_to_f32", Version::new(1, 0)),
    ("texmode_independent", Version::new(1, 5)),
    ("debug", Version::new(3, 0)),
];

/// The first architecture with double precision, where `map_f64_to_f32` is rejected.
const FIRST_WITH_F64: u16 = 13;

/// The module that the directives describe. Of several architectures the last counts.
pub fn module(version: &str, items: &[&str]) -> Module {
    Module {
        version: Version::parse(version).filter(|version| version.is_known()),
        target: items.iter().rev().find_map(|item| Target::parse(item)),
    }
}

/// What is wrong with `.version version` and `.target items…`. In a reason `at` is the index of the item, `None` the
/// version.
///
/// The assembler compares the two only in a module with an instruction. For other modules, leave out the
/// reasons with [`ReasonCode::RequiresPtxVersion`] whose item is an architecture.
pub fn check(version: &str, items: &[&str]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let known = Version::parse(version).filter(|version| version.is_known());
    if known.is_none() {
        reasons.push(unknown_version(version));
    }
    let module = module(version, items);
    for (at, item) in items.iter().enumerate() {
        match (Target::parse(item), OPTIONS.iter().find(|(name, _)| name == item)) {
            (Some(target), _) => reasons.extend(known.filter(|v| !target.known_by(*v)).map(|v| too_old(v, target, at))),
            (None, Some((name, since))) => {
                reasons.extend(known.filter(|v| v < since).map(|v| option_too_new(name, *since, v, at)));
                reasons.extend(option_conflict(name, items, at, module));
            }
            (None, None) => reasons.push(unknown_target(item, at)),
        }
    }
    reasons
}

fn unknown_version(version: &str) -> Reason {
    let newest = Version::NEWEST;
    let (message, help) = match Version::parse(version) {
        Some(given) if given > newest => {
            (format!("unsupported PTX version {version}"), format!("the newest supported version is {newest}"))
        }
        Some(_) => (
            format!("unknown PTX version {version}"),
            format!("PTX versions range from 1.0 to {newest}; 9.0 follows 8.8"),
        ),
        None => (format!("invalid PTX version `{version}`"), "write two numbers, such as 8.6".to_string()),
    };
    let fix = SpellingFix {
        title: format!("Replace `{version}` with `{newest}`"),
        edits: vec![SpellingEdit::Version(newest)],
    };
    Reason { code: ReasonCode::UnknownVersion, at: None, other: None, message, help, requires: None, fixes: vec![fix] }
}

fn unknown_target(item: &str, at: usize) -> Reason {
    let number: Option<u16> =
        item.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(['a', 'f']).parse().ok();
    let near =
        number.filter(|_| item.starts_with("sm")).and_then(|n| Target::all().min_by_key(|t| t.number().abs_diff(n)));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "expected `{}` to `{}`, `texmode_unified`, `texmode_independent`, `map_f64_to_f32` or `debug`",
            Target::OLDEST,
            Target::NEWEST
        ),
    };
    let fixes = near.map(|near| SpellingFix {
        title: format!("Replace `{item}` with `{near}`"),
        edits: vec![SpellingEdit::Target(near)],
    });
    let message = format!("unknown target `{item}`");
    let fixes = fixes.into_iter().collect();
    Reason { code: ReasonCode::UnknownTarget, at: Some(at), other: None, message, help, requires: None, fixes }
}

fn too_old(version: Version, target: Target, at: usize) -> Reason {
    let since = target.since();
    let requires = Requires::newer_version(target.to_string(), since, version);
    Reason {
        code: ReasonCode::RequiresPtxVersion,
        at: Some(at),
        other: None,
        message: requires.message(),
        help: String::new(),
        requires: Some(requires),
        fixes: vec![SpellingFix {
            title: format!("Raise `.version` to {since}"),
            edits: vec![SpellingEdit::Version(since)],
        }],
    }
}

fn option_too_new(name: &str, since: Version, version: Version, at: usize) -> Reason {
    let requires = Requires::newer_version(format!("`{name}`"), since, version);
    Reason {
        code: ReasonCode::RequiresPtxVersion,
        at: Some(at),
        other: None,
        message: requires.message(),
        help: "remove the option".to_string(),
        requires: Some(requires),
        fixes: vec![
            SpellingFix { title: format!("Raise `.version` to {since}"), edits: vec![SpellingEdit::Version(since)] },
            SpellingFix { title: format!("Remove `{name}`"), edits: vec![SpellingEdit::Remove { at }] },
        ],
    }
}

/// Options that conflict with the architecture or with each other.
fn option_conflict(name: &str, items: &[&str], at: usize, module: Module) -> Option<Reason> {
    let remove = || vec![SpellingFix { title: format!("Remove `{name}`"), edits: vec![SpellingEdit::Remove { at }] }];
    if name == "map_f64_to_f32" {
        let target = module.target.filter(|target| target.number() >= FIRST_WITH_F64)?;
        return Some(Reason {
            code: ReasonCode::IllegalTargetOption,
            at: Some(at),
            other: items.iter().rposition(|item| Target::parse(item) == Some(target)),
            message: format!("`{name}` is not supported on {target}"),
            help: "remove the option; sm_13 and newer have double precision".to_string(),
            requires: None,
            fixes: remove(),
        });
    }
    let before = items[..at].iter().position(|item| item.starts_with("texmode_") && *item != name)?;
    name.starts_with("texmode_").then(|| Reason {
        code: ReasonCode::IllegalTargetOption,
        at: Some(at),
        other: Some(before),
        message: format!("conflicting options `{}` and `{name}`", items[before]),
        help: "keep one texture mode".to_string(),
        requires: None,
        fixes: remove(),
    })
}

//! Puts a cause into words: message, help and fixes.
//!
//! Must not decide what the cause is (`blame.rs` does), nor know any particular instruction.

use crate::blame::{Change, likeness, meant_for, tolerance};
use crate::complete::complete;
use crate::form::{Family, Role, Since, Words};
use crate::reason::{Code, Edit, Fix, Reason};
use crate::resolve::Parsed;
use crate::table;
use crate::target::Module;
use crate::types::{Kind, Type};
use crate::vocabulary;

/// The reason behind one change. `words` are those of the mended spelling; `alone`: no other change is needed, so that an
/// edit mends the whole.
pub(crate) fn change(
    family: &'static Family,
    parsed: &Parsed,
    module: &Module,
    change: Change,
    words: Words,
    alone: bool,
) -> Reason {
    let mut reason = match change {
        Change::Replace { at, id } => wrong(family, parsed, module, at, None, words & !(1 << id), Some(id)),
        Change::Remove { at, other: Some(other) } => clash(family, parsed, module, at, other, words),
        Change::Remove { at, other: None } => wrong(family, parsed, module, at, None, words, None),
        Change::Insert { id, at } => missing(family, parsed, module, id, at, words & !(1 << id)),
    };
    if !alone {
        reason.fixes.clear();
    }
    reason
}

/// A word of the source as a message shows it: cut, if it is longer than any word has a right to be.
fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The reason when not even the nearest row can be reached.
pub(crate) fn hopeless(family: &Family) -> Reason {
    Reason {
        code: Code::IllegalModifier,
        at: None,
        other: None,
        message: format!("no form of `{}` has these modifiers", family.name),
        help: forms(family),
        fixes: Vec::new(),
    }
}

/// A spelling that is legal elsewhere: the module's target or version does not have it.
pub(crate) fn lacking(
    family: &'static Family,
    parsed: &Parsed,
    module: &Module,
    since: Since,
    at: Option<usize>,
) -> Reason {
    let target = module.target.filter(|target| !since.targets.contains(*target));
    let version = module.version.filter(|_| module.effective_version() < Some(since.version));
    let own = at.and_then(|at| parsed.id(at)).is_some_and(|id| !module.offers(&family.words[id].since));
    let what = match at {
        Some(at) if own => format!("`.{}`", parsed.spelling.modifiers[at]),
        Some(at) => format!("`.{}` here", parsed.spelling.modifiers[at]),
        None => format!("`{}` without a state space", family.name),
    };
    let generic = at.is_none()
        && parsed.words & family.slot_named("space").map_or(0, |slot| family.slots[slot].words) == 0
        && family.rows.iter().any(|row| module.offers(&row.since));
    let what = if at.is_none() && !generic { format!("`{}`", family.name) } else { what };
    let demand = match (target, version) {
        (Some(_), Some(_)) => format!("{} and PTX {}", since.targets, since.version),
        (Some(_), None) => format!("{}", since.targets),
        (None, _) => format!("PTX {}", since.version),
    };
    let says = match (target, version) {
        (Some(target), Some(version)) => format!("{target} and {version}"),
        (Some(target), None) => target.to_string(),
        (None, version) => version.map_or(String::new(), |version| version.to_string()),
    };
    let code = if target.is_some() { Code::RequiresTarget } else { Code::RequiresPtxVersion };
    let mut help = Vec::new();
    let mut fixes = Vec::new();
    if let Some(at) = at
        && let Some(id) = parsed.id(at)
    {
        let slot = family.words[id].slot;
        let name = family.slots[slot].name;
        let rest = parsed.words & !(1 << id);
        let text = parsed.spelling.modifiers[at];
        let instead = legal_here(family, rest, slot, text, module);
        if let Some(word) = vocabulary::wider(text).filter(|word| instead.contains(word)) {
            fixes.push(Fix { title: format!("Write `.{word}`"), edits: vec![Edit::Replace { at, word }] });
            help.push(format!("`.{word}` includes it and is there already"));
        } else if !instead.is_empty() && ["type", "scope", "space", "vec", "op"].contains(&name) {
            help.push(format!("there already: {}", list(&instead, 4)));
        }
        if let Some(advice) = vocabulary::before(name).filter(|_| own && fixes.is_empty()) {
            help.push(advice.to_string());
        }
    }
    if generic {
        help.push("generic addressing came with sm_20; older targets want `.global` or `.shared`".to_string());
    }
    if let Some(raise) = Fix::raise(module, &since) {
        help.push(format!("or {}", raise.title.replace("Raise", "raise")));
        fixes.push(raise);
    }
    let help = help.join("; ");
    let help = help.strip_prefix("or ").unwrap_or(&help).to_string();
    Reason { code, at, other: None, message: format!("{what} needs {demand}; the module says {says}"), help, fixes }
}

/// A modifier that does not belong, or not with the others. `rest`: the words without it; `instead`: the best word for
/// its place, if that must be filled or nearly was.
fn wrong(
    family: &'static Family,
    parsed: &Parsed,
    module: &Module,
    at: usize,
    other: Option<usize>,
    rest: Words,
    instead: Option<usize>,
) -> Reason {
    let text = parsed.spelling.modifiers[at];
    let id = parsed.id(at);
    let slot_name =
        (id.or(instead).map(|id| family.slots[family.words[id].slot].name)).or_else(|| meant_for(family, text));
    let slot = slot_name.and_then(|name| family.slot_named(name));
    let options = slot.map_or(Vec::new(), |slot| legal_somewhere(family, rest, slot, text, module));
    let foreign = vocabulary::foreign(text);
    let advice = foreign.map_or("", |entry| vocabulary::advice(entry).1);
    let alias: Vec<&str> = foreign.map_or(Vec::new(), |entry| vocabulary::advice(entry).0.collect());
    let known = id.is_some() || foreign.is_some() || vocabulary::entry(text).is_some();
    let op = word_of(family, parsed, "op");
    let other = other.or_else(|| at_fault_with(family, parsed, at));
    let spelled = |at: usize| format!("`.{}`", shown(parsed.spelling.modifiers[at]));
    let is_type = slot_name == Some("type");
    // What has a name of its own in PTX is a word of another language; the rest is PTX, though not here.
    let code = match (known && (alias.is_empty() || is_type), is_type) {
        (false, _) => Code::UnknownModifier,
        (true, true) => Code::IllegalType,
        (true, false) => Code::IllegalModifier,
    };
    let name = shown(text);
    let message = match (code, id, other) {
        (Code::UnknownModifier, ..) => format!("there is no modifier `.{name}`"),
        (Code::IllegalType, ..) => match op {
            Some(op) => format!("`.{}` has no `.{name}` form", shown(parsed.spelling.modifiers[op])),
            None => format!("`{}` has no `.{name}` form", family.name),
        },
        (_, Some(_), Some(other)) => format!("`.{name}` cannot stand with {}", spelled(other)),
        (_, Some(_), None) => format!("`.{name}` cannot stand with the other modifiers of this `{}`", family.name),
        _ => format!("`{}` has no `.{name}`", family.name),
    };
    let mut help = Vec::new();
    let meant: Vec<&'static str> = options.iter().filter(|word| alias.contains(word)).copied().collect();
    if !meant.is_empty() && slot_name != Some("sem") {
        help.push(format!("in PTX it is {}", list(&meant, 2).replace(", ", " or ")));
    }
    if !advice.is_empty() {
        help.push(advice.trim_end_matches('.').to_string());
    }
    let elsewhere = id.is_none() && known && foreign.is_none();
    let listed = help.is_empty() && !options.is_empty() && !(elsewhere && slot_name == Some("op"));
    let near = options.iter().find(|word| !known && vocabulary::edit_distance(text, word) <= tolerance(text));
    help.extend(listed.then(|| match (near, op.filter(|_| is_type && known)) {
        (Some(word), _) => format!("did you mean `.{word}`?"),
        (None, Some(op)) => {
            let op = shown(parsed.spelling.modifiers[op]);
            format!("`.{op}` {}: {}", vocabulary::appetite(&op), list(&options, 8))
        }
        (None, None) => format!("legal here: {}", list(&options, 8)),
    }));
    if op.is_some_and(|op| parsed.spelling.modifiers[op] == "add") && same_bits(text, options.first()) {
        help.push(format!("`.{}` gives the same bits in two's complement", options[0]));
    }
    if options.is_empty() && help.is_empty() {
        help.extend(other.and_then(|other| partners(family, parsed, module, text, other)));
    }
    if elsewhere {
        // An atomic is told of other atomics: that a fence has the word helps nobody.
        let alike = table::families().iter().filter(|other| other.is_atomic() == family.is_atomic());
        let elsewhere = alike.filter(|other| other.find(text).is_some_and(|id| other.ignored >> id & 1 == 0));
        let names: Vec<_> = elsewhere.map(|family| format!("`{}`", family.name)).take(MOST_ELSEWHERE).collect();
        if !names.is_empty() {
            help.push(format!("{} {} it", names.join(", "), if names.len() == 1 { "has" } else { "have" }));
        }
    }
    match instead {
        None if options.is_empty() => {
            help.push(if help.is_empty() { "leave it out" } else { "or leave it out" }.to_string());
        }
        Some(id) if help.is_empty() => help.push(format!("`.{}` would do", family.words[id].text)),
        _ => {}
    }
    let mut fixes: Vec<Fix> = (options.iter())
        .filter(|word| may_replace(slot_name, text, word, known, id.is_some()))
        .take(3)
        .map(|word| Fix { title: format!("Write `.{word}`"), edits: vec![Edit::Replace { at, word }] })
        .collect();
    let removable = !matches!(slot_name, Some("op" | "type" | "vec" | "space"));
    if removable && family.matches(rest).next().is_some() {
        fixes.push(remove(at, text, slot_name));
    }
    Reason { code, at: Some(at), other, message, help: sentence(&help), fixes }
}

/// How many instructions a message names that have what this one lacks.
const MOST_ELSEWHERE: usize = 4;

/// Whether a signed type stands for the unsigned one of its width.
fn same_bits(from: &str, to: Option<&&str>) -> bool {
    let (from, to) = (Type::parse(from), to.and_then(|to| Type::parse(to)));
    from.zip(to).is_some_and(|(a, b)| a.kind() == Kind::Signed && b.kind() == Kind::Unsigned && a.bits() == b.bits())
}

/// What could stand in the place of the other modifier, for this one to stay.
fn partners(family: &'static Family, parsed: &Parsed, module: &Module, text: &str, other: usize) -> Option<String> {
    let id = parsed.id(other)?;
    let slot = family.words[id].slot;
    let found = legal_somewhere(family, parsed.words & !(1 << id), slot, parsed.spelling.modifiers[other], module);
    let telling = !found.is_empty() && family.slots[slot].name != "op";
    telling.then(|| format!("`.{text}` goes with {}", list(&found, 8)))
}

/// Whether one word may take another's place without touching the operands or the meaning.
fn may_replace(slot: Option<&str>, from: &str, to: &str, known: bool, ours: bool) -> bool {
    let typo = !known && vocabulary::edit_distance(from, to) <= tolerance(from);
    let near = likeness(slot.unwrap_or(""), from, to) == 0 || typo;
    match slot {
        Some("type") => match (Type::parse(from), Type::parse(to)) {
            (Some(a), Some(b)) => {
                let float = |ty: Type| ty.kind() == Kind::Float;
                let bits = a.kind() == Kind::Bits || b.kind() == Kind::Bits;
                a.bits() == b.bits() && (bits || !(float(a) || float(b)))
            }
            _ => near,
        },
        Some("noftz" | "acc") => true,
        Some("sem") => ours || near || vocabulary::entry(from).is_some() && vocabulary::foreign(from).is_none(),
        Some("scope" | "op" | "space" | "hint") => !ours && near,
        _ => false,
    }
}

/// Two modifiers of which one has to go.
fn clash(family: &'static Family, parsed: &Parsed, module: &Module, at: usize, other: usize, words: Words) -> Reason {
    let (text, with) = (parsed.spelling.modifiers[at], parsed.spelling.modifiers[other]);
    let slot = parsed.id(at).map(|id| family.slots[family.words[id].slot].name).or_else(|| meant_for(family, text));
    if text == with {
        return Reason {
            code: Code::DuplicateModifier,
            at: Some(at),
            other: Some(other),
            message: format!("`.{}` stands twice", shown(text)),
            help: "once is enough".to_string(),
            fixes: vec![remove(at, text, None)],
        };
    }
    if parsed.id(at).is_none() {
        return wrong(family, parsed, module, at, Some(other), words, None);
    }
    let other_slot = parsed.id(other).map(|id| family.slots[family.words[id].slot].name);
    let help = match slot {
        Some(name) if slot == other_slot => {
            format!("an instruction has one {}; keep the one that is meant", vocabulary::title(name))
        }
        _ => format!("leave out `.{text}`"),
    };
    let mut fixes = vec![remove(at, text, slot)];
    let others = slot == other_slot && !matches!(slot, Some("op" | "type" | "vec"));
    let swapped = |id: usize| words & !parsed.id(other).map_or(0, |id| 1 << id) | 1 << id;
    if others && parsed.id(at).is_some_and(|id| family.matches(swapped(id)).next().is_some()) {
        fixes.push(remove(other, with, slot));
    }
    if matches!(slot, Some("op" | "type" | "vec")) {
        fixes.clear();
    }
    let message = format!("`.{}` and `.{}` exclude each other", shown(text), shown(with));
    Reason { code: Code::ConflictingModifiers, at: Some(at), other: Some(other), message, help, fixes }
}

/// A word that must be there. `rest`: the words that are.
fn missing(
    family: &'static Family,
    parsed: &Parsed,
    module: &Module,
    id: usize,
    at: Option<usize>,
    rest: Words,
) -> Reason {
    let slot = family.words[id].slot;
    let name = family.slots[slot].name;
    let mut options = legal_somewhere(family, rest, slot, family.words[id].text, module);
    if matches!(name, "op" | "type") {
        // Other words may be missing, too: everything counts that can still come.
        let open = complete(&parsed.spelling, module).into_iter().filter(|c| c.slot == name && c.needs.is_none());
        options =
            Some(open.map(|candidate| candidate.word).collect()).filter(|o: &Vec<_>| !o.is_empty()).unwrap_or(options);
    }
    let title = vocabulary::title(name);
    let message = match (at, options.as_slice()) {
        (Some(at), [only]) => format!("`.{}` needs `.{only}` here", shown(parsed.spelling.modifiers[at])),
        (Some(at), _) => format!("`.{}` needs a {title} here", shown(parsed.spelling.modifiers[at])),
        (None, _) => format!("`{}` lacks its {title}", family.name),
    };
    let help = match options.as_slice() {
        [only] => match vocabulary::entry(only) {
            Some(entry) => format!("add `.{only}`: {}", lower(vocabulary::formula(entry).0.trim_end_matches('.'))),
            None => format!("add `.{only}`"),
        },
        _ => format!("one of {}", list(&options, 12)),
    };
    let choose = if matches!(name, "op" | "type" | "vec") && options.len() > 1 { 0 } else { 4 };
    let place = place_for(family, parsed, slot);
    let fixes = (options.iter().take(choose))
        .map(|word| Fix { title: format!("Add `.{word}`"), edits: vec![Edit::Insert { at: place, word }] })
        .filter(|_| name != "vec")
        .collect();
    Reason { code: Code::MissingModifier, at, other: None, message, help, fixes }
}

/// Where a word of this slot stands in the printed order.
fn place_for(family: &Family, parsed: &Parsed, slot: usize) -> usize {
    let order = family.forms.iter().map(|form| &form.slots).find(|slots| slots.contains(&slot));
    let Some(order) = order else { return parsed.spelling.modifiers.len() };
    let rank = |slot: usize| order.iter().position(|s| *s == slot).unwrap_or(0);
    (parsed.first..parsed.spelling.modifiers.len())
        .find(|at| parsed.id(*at).is_some_and(|id| rank(family.words[id].slot) > rank(slot)))
        .unwrap_or(parsed.spelling.modifiers.len())
}

/// The edit that takes a modifier away, and with the cache hint its operand.
fn remove(at: usize, text: &str, slot: Option<&str>) -> Fix {
    let mut edits = vec![Edit::Remove { at }];
    if slot == Some("hint") && text == "L2::cache_hint" {
        edits.push(Edit::RemoveOperand { role: Role::Policy });
    }
    Fix { title: format!("Remove `.{}`", shown(text)), edits }
}

/// The other modifier without which, or with another in its place, this one could stay.
fn at_fault_with(family: &'static Family, parsed: &Parsed, at: usize) -> Option<usize> {
    parsed.id(at)?;
    let others = (parsed.first..parsed.spelling.modifiers.len()).filter(|other| *other != at);
    let ranked = |at: &usize| {
        let slot = parsed.id(*at).map(|id| family.slots[family.words[id].slot].name);
        ["op", "type", "vec", "space"].iter().position(|name| Some(*name) == slot).unwrap_or(9)
    };
    let mut others: Vec<usize> = others.collect();
    others.sort_by_key(ranked);
    others.into_iter().find(|other| {
        parsed.id(*other).is_some_and(|id| {
            let rest = parsed.words & !(1 << id);
            let slot = family.slots[family.words[id].slot].words;
            family.matches(rest).next().is_some()
                || family
                    .members(slot)
                    .any(|instead| instead != id && family.matches(rest | 1 << instead).next().is_some())
        })
    })
}

fn word_of(family: &Family, parsed: &Parsed, slot: &str) -> Option<usize> {
    let slot = family.slot_named(slot)?;
    (parsed.first..parsed.spelling.modifiers.len())
        .find(|at| parsed.id(*at).is_some_and(|id| family.words[id].slot == slot))
}

/// The words of a slot that make the rest legal in this module, the nearest to `from` first.
fn legal_here(family: &'static Family, rest: Words, slot: usize, from: &str, module: &Module) -> Vec<&'static str> {
    options(family, rest, slot, from, |since| module.offers(since))
}

/// The same in any module; if there are some for this one, those alone.
fn legal_somewhere(
    family: &'static Family,
    rest: Words,
    slot: usize,
    from: &str,
    module: &Module,
) -> Vec<&'static str> {
    let here = legal_here(family, rest, slot, from, module);
    if here.is_empty() { options(family, rest, slot, from, |_| true) } else { here }
}

fn options(
    family: &'static Family,
    rest: Words,
    slot: usize,
    from: &str,
    good: impl Fn(&Since) -> bool,
) -> Vec<&'static str> {
    let name = family.slots[slot].name;
    let words = family.slots[slot].words & !family.ignored;
    let fits = |id: &usize| family.matches(rest & !words | 1 << id).any(|(_, since)| good(&since));
    let mut found: Vec<&'static str> = family.members(words).filter(fits).map(|id| family.words[id].text).collect();
    found.sort_by_key(|word| likeness(name, from, word));
    found
}

fn list(words: &[&str], most: usize) -> String {
    let mut names: Vec<String> = words.iter().take(most).map(|word| format!("`.{word}`")).collect();
    if words.len() > most {
        names.push("…".to_string());
    }
    names.join(", ")
}

fn sentence(parts: &[String]) -> String {
    parts.join("; ")
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

fn forms(family: &Family) -> String {
    let forms: Vec<_> = family.forms.iter().map(|form| format!("`{}`", form.syntax)).collect();
    format!("its forms are {}", forms.join(", "))
}

//! Directives and declarations against the assembler's recorded answers: both reject the same modules.

use diagnostics::{Settings, Severity, Snapshot};
use lints::Check;
use std::collections::BTreeMap;
use support::{evidence, gunzip};
use syntax::LintFile;

/// Cases that the assembler rejects and we do not.
struct Miss {
    group: &'static str,
    /// What the text contains.
    parts: &'static [&'static str],
}

const MISSES: &[Miss] = &[
    // The bytes that a mask selects.
    Miss { group: "values", parts: &["= 0xFFFF(g)"] },
    // The fields of textures, samplers and surfaces.
    Miss { group: "values", parts: &["texref x"] },
    Miss { group: "values", parts: &["samplerref x"] },
    Miss { group: "values", parts: &["surfref x"] },
    // Debug directives, and `.target` in a function.
    Miss { group: "options", parts: &["DWARF"] },
    Miss { group: "options", parts: &[".section"] },
    Miss { group: "options", parts: &[".file"] },
    Miss { group: "options", parts: &["{ .target"] },
    Miss { group: "options", parts: &["samplerref x = "] },
    Miss { group: "options", parts: &["texref x = "] },
    // Statements of functions that are no declarations, and features of PTX 2 and older.
    Miss { group: "requirements", parts: &["{ .param"] },
    Miss { group: "requirements", parts: &[".extern .const"] },
    Miss { group: "requirements", parts: &[".u32 x = f;"] },
];

/// The least of the limits of memory, in elements of the largest type.
const LIMIT: u64 = (48 << 10) / 16;

/// A module of the recording.
struct Case<'a> {
    group: &'a str,
    is_accepted: bool,
    version: &'a str,
    target: &'a str,
    text: &'a str,
}

impl Case<'_> {
    fn module(&self) -> String {
        let Case { version, target, text, .. } = self;
        let (major, minor) = version.split_once('.').expect("a version");
        let has_size = (major.parse::<u32>().expect("a number"), minor.parse::<u32>().expect("a number")) >= (2, 3);
        let size = if has_size && !text.contains(".address_size") { ".address_size 64\n" } else { "" };
        format!(".version {version}\n.target {target}\n{size}{}\n", text.replace("\\n", "\n"))
    }

    /// The errors that are found.
    fn errors(&self) -> Vec<String> {
        let snapshot = Snapshot::new(LintFile::parse(&self.module()), Settings::default());
        // The pair of version and target is not recorded (`record.py`).
        let header = snapshot.file.text().to_string().find(self.target).unwrap_or_default();
        let errors = snapshot.diagnostics().into_iter().filter(|found| found.severity == Severity::Error);
        let errors = errors.filter(|found| found.rule.code != "requires-ptx-version" || found.range.start != header);
        errors.map(|found| format!("{}: {}", found.code(), found.message())).collect()
    }

    /// Whether a variable may exceed what only code generation limits (`memory_limits.txt`): the cases were asked without it.
    fn exceeds_limits(&self) -> bool {
        let is_limited = [".shared", ".const"].iter().any(|space| self.text.contains(space));
        let sizes = self.text.split('[').skip(1).filter_map(|rest| rest.split(']').next()?.parse::<u64>().ok());
        is_limited && sizes.into_iter().any(|size| size > LIMIT)
    }

    fn is_known_miss(&self) -> bool {
        MISSES.iter().any(|miss| miss.group == self.group && miss.parts.iter().all(|part| self.text.contains(part)))
    }
}

fn cases(recorded: &str) -> Vec<Case<'_>> {
    let mut group = "";
    let mut cases = Vec::new();
    for line in recorded.lines() {
        if let Some(name) = line.strip_prefix('#') {
            group = name;
            continue;
        }
        let [version, target, text] = line[1..].splitn(3, '\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        cases.push(Case { group, is_accepted: line.starts_with('+'), version, target, text });
    }
    cases
}

#[test]
fn every_module_is_rejected_by_both_or_by_none() {
    let recorded = gunzip(&evidence("directives").join("cases.txt.gz"));
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let (mut alarms, mut misses) = (Vec::new(), Vec::new());
    for case in cases(&recorded) {
        let errors = case.errors();
        let count = counts.entry(case.group).or_default();
        count[0] += 1;
        match (case.is_accepted, errors.is_empty()) {
            (true, false) if case.exceeds_limits() => count[1] += 1,
            (true, false) => {
                count[2] += 1;
                alarms.push(format!("{} {} {} {} {errors:?}", case.group, case.version, case.target, case.text));
            }
            (false, true) => {
                count[3] += 1;
                if !case.is_known_miss() {
                    misses.push(format!("{} {} {} {}", case.group, case.version, case.target, case.text));
                }
            }
            _ => count[1] += 1,
        }
    }
    for (group, [all, agree, alarms, misses]) in &counts {
        println!("{group}: {all} modules, {agree} agree, {alarms} false alarms, {misses} misses");
    }
    let lists = [("false alarms", alarms), ("misses", misses)];
    let wrong = lists.map(|(what, list)| format!("{} {what}:\n{}", list.len(), list.join("\n")));
    assert!(wrong.iter().all(|list| list.starts_with('0')), "{}", wrong.join("\n"));
}

#[test]
fn static_memory_beyond_a_limit_is_an_error_to_both_or_to_none() {
    let recorded = std::fs::read_to_string(evidence("directives").join("memory_limits.txt")).expect("a recording");
    let (mut counts, mut wrong) = ([0; 3], Vec::new());
    for line in recorded.lines() {
        let (target, rest) = line[1..].split_once(' ').expect("a target");
        if line.starts_with('=') {
            counts[2] += 1;
            let limit = isa::target::Target::parse(target).map(|target| target.max_static_shared());
            assert_eq!(limit, rest.parse().ok(), "{target}");
            continue;
        }
        let is_accepted = line.starts_with('+');
        counts[usize::from(is_accepted)] += 1;
        let case = Case { group: "limits", is_accepted, version: "9.5", target, text: rest };
        let errors = case.errors();
        if errors.is_empty() != is_accepted {
            wrong.push(format!("{line}: {errors:?}"));
        }
    }
    assert!(wrong.is_empty() && counts.iter().all(|count| *count > 20), "{counts:?}\n{}", wrong.join("\n"));
}

//! Operands against the assembler's recorded answers: both reject the same lines.

mod kinds;
mod values;

use diagnostics::{Diagnostic, Fix, Settings, Severity, Snapshot};
use lints::Check;
use std::collections::BTreeMap;
use support::{evidence, gunzip};
use syntax::SourceFile;

/// The text before and after the lines of a module, by the wrapper's name.
fn wrappers() -> BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(evidence("operands").join("wrappers.txt")).expect("the wrappers");
    let one = |part: &str| {
        let (name, text) = part.split_once('\n').expect("a name and a text");
        let (before, after) = text.split_once("@@\n").expect("a place for the lines");
        (name.to_owned(), (before.to_owned(), after.to_owned()))
    };
    text.split('#').filter(|part| !part.is_empty()).map(one).collect()
}

/// One module of the recording.
struct Recorded<'a> {
    wrapper: &'a str,
    /// Whether the assembler accepts each line, and the line.
    lines: Vec<(bool, &'a str)>,
}

fn modules(text: &str) -> Vec<Recorded<'_>> {
    let mut modules: Vec<Recorded> = Vec::new();
    for line in text.lines() {
        match (line.split_at(1), modules.last_mut()) {
            (("#", wrapper), _) => modules.push(Recorded { wrapper, lines: Vec::new() }),
            ((verdict, line), Some(module)) => module.lines.push((verdict == "+", line)),
            (_, None) => panic!("a line before the first module: {line}"),
        }
    }
    modules
}

/// The family of an instruction.
fn family(line: &str) -> &'static str {
    let opcode = line.split(' ').find(|word| !word.starts_with('@')).expect("an opcode");
    let is = |family: &&isa::Family| opcode.strip_prefix(family.name).is_some_and(|rest| rest.starts_with('.'));
    isa::families().find(is).expect("a family").name
}

/// At least 5,000 lines of each mnemonic, of which many are right; one finding for each that is wrong.
#[test]
fn every_line_is_an_error_to_both_or_to_none() {
    let wrappers = wrappers();
    let recorded = gunzip(&evidence("operands").join("lines.txt.gz"));
    let mut asked: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for module in modules(&recorded) {
        let (before, after) = &wrappers[module.wrapper];
        let lines: Vec<&str> = module.lines.iter().map(|(_, line)| *line).collect();
        let text = format!("{before}{}\n{after}", lines.join("\n"));
        let snapshot = Snapshot::new(SourceFile::parse(&text), Settings::default());
        let first = before.lines().count();
        let mut found: Vec<Vec<String>> = vec![Vec::new(); lines.len()];
        for finding in snapshot.diagnostics().iter().filter(|finding| finding.severity == Severity::Error) {
            let line = snapshot.file.position(finding.range.start).line;
            let at = line.checked_sub(first).filter(|at| *at < lines.len());
            let at = at.unwrap_or_else(|| panic!("{}: nothing is wrong around the lines: {finding:?}", module.wrapper));
            found[at].push(format!("{}: {}", finding.code(), finding.message()));
        }
        for ((accepted, line), found) in module.lines.iter().zip(found) {
            let counts = asked.entry(family(line)).or_default();
            counts.0 += 1;
            counts.1 += usize::from(*accepted);
            let syntax = found.iter().any(|found| found.starts_with("syntax-error"));
            if *accepted != found.is_empty() || found.len() > 1 || syntax {
                let verdict = if *accepted { "accepted" } else { "rejected" };
                wrong.push(format!("{} {verdict}: {line}  {found:?}", module.wrapper));
            }
        }
    }
    for family in isa::families().filter(|family| family.is_atomic()) {
        let (lines, accepted) = asked[family.name];
        assert!(lines >= 5_000 && accepted * 5 >= lines, "{}: {lines} lines, {accepted} accepted", family.name);
    }
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

/// Every fix that is offered leaves an instruction without an error.
#[test]
fn every_fix_leaves_a_legal_instruction() {
    let wrappers = wrappers();
    let recorded = gunzip(&evidence("operands").join("lines.txt.gz"));
    let (mut offered, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for module in modules(&recorded) {
        let (before, after) = &wrappers[module.wrapper];
        let head = before.lines().count();
        let lines: Vec<&str> = module.lines.iter().map(|(_, line)| *line).collect();
        let findings = |lines: &[&str]| {
            let text = format!("{before}{}\n{after}", lines.join("\n"));
            let snapshot = Snapshot::new(SourceFile::parse(&text), Settings::default());
            let at = |finding: &Diagnostic| snapshot.file.position(finding.range.start).line - head;
            snapshot.diagnostics().into_iter().map(|finding| (at(&finding), finding)).collect::<Vec<_>>()
        };
        // Each fix makes a line of its own in a second module.
        let starts =
            lines.iter().scan(before.len(), |start, line| Some(std::mem::replace(start, *start + line.len() + 1)));
        let starts: Vec<usize> = starts.collect();
        let mut applied = Vec::new();
        for (at, finding) in findings(&lines) {
            // A declaration is inserted at another line.
            let lines_own = starts[at]..starts[at] + lines[at].len() + 1;
            let stays = |fix: &&Fix| fix.edits.iter().all(|edit| lines_own.contains(&edit.range.start));
            for fix in finding.fixes.iter().filter(stays) {
                let mut line = lines[at].to_owned();
                for edit in fix.edits.iter().rev() {
                    line.replace_range(edit.range.start - starts[at]..edit.range.end - starts[at], &edit.text);
                }
                let title: String = fix.title.split('`').step_by(2).collect();
                *offered.entry(title.trim().to_owned()).or_default() += 1;
                applied.push((line, format!("{}  {}: {}", lines[at], finding.message(), fix.title)));
            }
        }
        let fixed: Vec<&str> = applied.iter().map(|(line, _)| &**line).collect();
        for (at, finding) in findings(&fixed) {
            if finding.severity == Severity::Error {
                wrong.push(format!("{}\n  {}\n  {}", applied[at].1, fixed[at], finding.message()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} fixes do not help:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(offered.len() >= 8 && offered.values().sum::<usize>() >= 3_000, "{offered:?}");
}

/// Checks a recording of small modules, one a line after the verdict; returns how many the assembler accepts.
fn check_modules(recorded: &str) -> usize {
    for line in recorded.lines() {
        let (verdict, text) = line.split_at(1);
        let findings = Snapshot::new(SourceFile::parse(text), Settings::default()).diagnostics();
        let legal = findings.iter().all(|finding| finding.severity != Severity::Error);
        assert_eq!(legal, verdict == "+", "{text}: {findings:#?}");
    }
    recorded.lines().filter(|line| line.starts_with('+')).count()
}

/// Small modules about what a name means where scopes nest, and where ranges, labels and functions share it.
#[test]
fn names_mean_what_they_mean_to_the_assembler() {
    let recorded = std::fs::read_to_string(evidence("operands").join("scopes.txt")).expect("the scopes");
    assert!(check_modules(&recorded) >= 20 && recorded.lines().count() >= 50);
}

/// Small modules about the targets of branches, and about calls.
#[test]
fn branches_and_calls_reach_what_the_assembler_lets_them_reach() {
    let recorded = std::fs::read_to_string(evidence("operands").join("targets.txt")).expect("the targets");
    assert!(check_modules(&recorded) >= 60 && recorded.lines().count() >= 170);
}

/// Small modules with accesses to textures, with separate samplers and without.
#[test]
fn samplers_are_required_where_the_assembler_requires_them() {
    let recorded = std::fs::read_to_string(evidence("operands").join("samplers.txt")).expect("the samplers");
    assert!(check_modules(&recorded) >= 25 && recorded.lines().count() >= 60);
}

/// Small modules with textures and surfaces in the place of addresses, mbarriers and elements of lists.
#[test]
fn textures_are_accepted_where_the_assembler_accepts_them() {
    let recorded = std::fs::read_to_string(evidence("operands").join("textures.txt")).expect("the textures");
    assert!(check_modules(&recorded) >= 30 && recorded.lines().count() >= 130);
}

#[test]
fn multimem_stores_narrow_integers_alone() {
    let recorded = std::fs::read_to_string(evidence("operands").join("multimem_stores.txt")).expect("the stores");
    assert!(check_modules(&recorded) >= 60 && recorded.lines().count() >= 180);
}

/// Small modules that read and write parameters and results, and convert addresses.
#[test]
fn parameters_are_read_and_results_are_written() {
    let recorded = std::fs::read_to_string(evidence("operands").join("parameters.txt")).expect("the parameters");
    assert!(check_modules(&recorded) >= 150 && recorded.lines().count() >= 400);
}

/// Compares the errors of lines that stand in modules for a target with the verdicts of the assembler: accepted or not, and the line. Returns the index of each line
/// that differs, and our message.
fn differences(target: &str, declarations: &str, asked: &[(bool, String)]) -> Vec<(usize, Option<String>)> {
    let mut all = Vec::new();
    // Modules of a size that people write.
    for (module, lines) in asked.chunks(MODULE_LINES).enumerate() {
        let written: Vec<&str> = lines.iter().map(|(_, line)| &**line).collect();
        let before = format!(".version 9.5\n.target {target}\n.address_size 64\n{declarations}\n");
        let text = format!("{before}{}\nret; }}\n", written.join("\n"));
        let snapshot = Snapshot::new(SourceFile::parse(&text), Settings::default());
        let mut found: Vec<Option<String>> = vec![None; lines.len()];
        for finding in snapshot.diagnostics().iter().filter(|finding| finding.severity == Severity::Error) {
            let line = snapshot.file.position(finding.range.start).line - before.lines().count();
            found[line] = Some(finding.message().to_string());
        }
        let compared = lines.iter().zip(found).enumerate();
        let wrong = compared.filter(|(_, ((accepted, _), found))| *accepted != found.is_none());
        all.extend(wrong.map(|(at, (_, found))| (module * MODULE_LINES + at, found)));
    }
    all
}

const MODULE_LINES: usize = 2_000;

/// An instruction with another operand at an index.
fn with_operand(instruction: &str, at: usize, operand: &str) -> String {
    let (opcode, operands) = instruction.trim_end_matches(';').split_once(' ').expect("operands");
    let mut operands: Vec<&str> = operands.split(", ").collect();
    operands[at] = operand;
    format!("{opcode} {};", operands.join(", "))
}

/// A line of a recording about an operand: target, index or indices, instruction, and the numbers of what is accepted.
fn recorded_operand(line: &str) -> (&str, &str, &str, Vec<usize>) {
    let [target, at, instruction, accepted] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
    (target, at, instruction, accepted.split(' ').filter_map(|number| number.parse().ok()).collect())
}

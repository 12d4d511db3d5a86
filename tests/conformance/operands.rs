//! Operands against the assembler's recorded answers: both reject the same lines.

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

/// A difference that remains between the assembler and ptx-atomics, with its reason.
struct Difference {
    /// What the opcode begins with.
    opcodes: &'static [&'static str],
    /// The operands; none stands for all.
    kinds: &'static [&'static str],
}

const COMPRESSION: &[&str] = &["spcompress.", "spdecompress.", "tcgen05.ld.spcompress.", "tcgen05.ld.red.spcompress."];

const MATRICES: &[&str] = &["mma.", "wgmma.", "tcgen05.", "ldmatrix.", "stmatrix.", "movmatrix."];

/// What the assembler rejects and ptx-atomics does not.
const NOT_REPORTED: &[Difference] = &[
    // Only this shape has a type of its metadata that is checked.
    Difference {
        opcodes: &["mma.sp.sync.aligned.m16n8k64.", "mma.sp::ordered_metadata.sync.aligned.m16n8k64."],
        kinds: &["p1", "!p1", "r1+4", "f1+4"],
    },
    // By itself the assembler accepts it; the recording asked several instructions together.
    Difference { opcodes: &["movmatrix."], kinds: &["_"] },
    // Expanded into calls: the assembler also refuses symbols and some registers.
    Difference { opcodes: &["clmad.", "div.s64", "div.u64", "rem.s64", "rem.u64", "rcp.r"], kinds: &[] },
    // The bits of an instruction descriptor have a meaning, which is checked where it is a constant.
    Difference { opcodes: &["tcgen05.mma"], kinds: &[] },
    // Vector registers pass on some shapes of mma and not on others that are like them; a 16-bit register is no address only here.
    Difference { opcodes: MATRICES, kinds: &["v2r", "v4r", "v2r.x", "{r1}", "{r1,_}", "{r1,f1}", "[h1]"] },
    // Vector registers and lists of compatible registers pass on some shapes of wmma and not on others.
    Difference {
        opcodes: &["wmma."],
        kinds: &[
            "v2r",
            "v4r",
            "{gv}",
            "{f1}",
            "{f1,f2,f3,f4}",
            "{rh,rh}",
            "{1,2}",
            "{l1,1}",
            "{1,l1}",
            "{1,h1}",
            "{gv,r1}",
            "{%tid.x,%laneid}",
            "{p1,r1}",
            "{v2r.x,r1}",
        ],
    },
    // A selector of video instructions, which instructions of arithmetic ignore.
    Difference { opcodes: &["tex.", "txq.", "suld.", "sust.", "sured.", "suq.", "wmma."], kinds: &["r1.b01"] },
    // Coordinates after the index of an array or after a sampler: the assembler checks some of them.
    Difference {
        opcodes: &["tex.a1d.", "tex.a2d.", "tex.level.a1d.", "tex.grad."],
        kinds: &[
            "[l1,{1,2}]",
            "[t,{1,2}]",
            "[l1,l2,{r1}]",
            "[l1,l2,{f1,f2}]",
            "[t,l1,{f1,f2}]",
            "[t,t,{f1,f2}]",
            "[t,r1,{f1,f2}]",
            "[l1,r1,{r1,r2}]",
        ],
    },
    // A constant in a list that takes the type of another element.
    Difference { opcodes: &["tex.grad."], kinds: &["{1,l1}", "{1,h1}"] },
    // Two pairs of half-precision numbers: each texel must be a register of its own type.
    Difference {
        opcodes: &["tex.a2d.v2.f16x2."],
        kinds: &["v2r", "{r1,_}", "{_,r1}", "{gv,r1}", "{%tid.x,%laneid}", "{p1,r1}"],
    },
    // Lists of compressed elements: variables, special registers and predicates among them.
    Difference {
        opcodes: COMPRESSION,
        kinds: &[
            "{gv}",
            "v2r",
            "{1.0,f1}",
            "{f1,1.0}",
            "{gv,r1}",
            "{%tid.x,%laneid}",
            "{p1,r1}",
            "{_,r1}",
            "{r1}",
            "{f1}",
            "r1.b01",
        ],
    },
    Difference { opcodes: &["tensormap.query"], kinds: &["[%laneid]"] },
    // The address and the count of an allocation are related.
    Difference { opcodes: &["tcgen05.dealloc"], kinds: &["rs", "0", "256", "gv+4", "r1+4", "WARP_SZ"] },
];

/// What ptx-atomics rejects although the assembler accepts it: a predicate, a float or a list where nobody means one.
const FALSE_ERRORS: &[Difference] = &[
    // The assembler does not look at the type of these operands on some shapes.
    Difference {
        opcodes: &["mma.", "wgmma.", "ldmatrix."],
        kinds: &["p1", "!p1", "p1|_", "gv+4", "r1+4", "f1+4", "0f3f800000", "{p1,p2}"],
    },
    Difference { opcodes: &["movmatrix."], kinds: &["gv+4", "0f3f800000", "p1|_", "r1|_"] },
    // The metadata of a sparse matrix, and with it the accumulators of wgmma, may be anything in braces and any 32 bits.
    Difference {
        opcodes: &["mma.sp", "wgmma.mma_async.sp"],
        kinds: &[
            "r1",
            "ru",
            "rs",
            "rh",
            "f1",
            "v2r",
            "v4r",
            "v2r.x",
            "{r1,r2}",
            "{f1,f2}",
            "{r1,f1}",
            "{r1,r2,r3}",
            "{r1,r2,r3,r4}",
            "{f1,f2,f3,f4}",
            "{r1,r2,r3,r4,r5,r6,r7,r8}",
        ],
    },
    // Sums and a float in place of a register.
    Difference { opcodes: &["spcompress."], kinds: &["0f3f800000", "gv+4", "r1+4", "f1+4"] },
    Difference { opcodes: &["tcgen05.ld.red.spcompress."], kinds: &["{gv}"] },
    // A texture in place of a level, and single-precision bits in place of double-precision ones.
    Difference { opcodes: &["tex.level."], kinds: &["[r1,{r1,r2}]"] },
    Difference { opcodes: &["wmma.store."], kinds: &["{0f3f800000,0f3f800000}"] },
    // After a constant, any register may follow in a list of 16-bit integers.
    Difference { opcodes: &["fabric.try_put."], kinds: &["{1,r1}", "{1,l1}"] },
    // A second predicate in place of the mask.
    Difference { opcodes: &["tcgen05.mma"], kinds: &["p1", "!p1"] },
    Difference { opcodes: &["tcgen05.cp", "tcgen05.shift"], kinds: &["[fn]"] },
    // The low 32 bits of this constant are 0, which is refused.
    Difference { opcodes: &["bar.", "barrier."], kinds: &["4294967296"] },
];

/// Whether a difference is one of those that remain.
fn is_known_difference(line: &str, kind: &str, accepted: bool) -> bool {
    let known = if accepted { FALSE_ERRORS } else { NOT_REPORTED };
    known.iter().any(|difference| {
        difference.opcodes.iter().any(|opcode| line.starts_with(opcode))
            && (difference.kinds.is_empty() || difference.kinds.contains(&kind))
    })
}

/// Each operand of one instruction per family and type, replaced by each kind of operand. `PTX_ATOMICS_GROUP=texture` checks one group.
#[test]
fn every_kind_of_operand_is_an_error_to_both_or_to_none() {
    let folder = std::fs::read_dir(evidence("operands").join("kinds")).expect("the recordings");
    let mut groups: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    groups.sort();
    let only = std::env::var("PTX_ATOMICS_GROUP").ok();
    if let Some(only) = &only {
        groups.retain(|group| group.ends_with(format!("{only}.txt.gz")));
    }
    let (mut count, mut wrong) = (0, Vec::new());
    for group in groups {
        let mut of_group = Vec::new();
        let asked = check_kinds(&gunzip(&group), &mut of_group);
        let tolerates = TOLERANT.iter().any(|name| group.ends_with(format!("{name}.txt.gz")));
        if tolerates {
            let (unreported, alarms) = of_group.into_iter().partition::<Vec<_>, _>(|line| line.starts_with("rejected"));
            assert!(unreported.len() * 100 <= asked, "{} of {asked}:\n{}", unreported.len(), unreported.join("\n"));
            of_group = alarms;
        }
        wrong.extend(of_group);
        count += asked;
    }
    assert!(wrong.is_empty(), "{} of {count} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 100_000 || only.is_some() && count > 1_000, "{count}");
}

/// Groups in which one of a hundred operands may be refused by the assembler alone: 16-bit and special registers as addresses, lists as masks,
/// labels in sums, functions as values. In none of them is an accepted operand an error.
const TOLERANT: &[&str] = &["async_copies", "fabric", "synchronization"];

/// Checks one recording of `kinds.py`, collects the disagreements, and returns how many lines were checked.
fn check_kinds(recorded: &str, wrong: &mut Vec<String>) -> usize {
    let mut lines = recorded.lines();
    let declarations = lines.next().expect("the declarations");
    let kinds: Vec<&str> = lines.next().expect("the kinds").split(' ').collect();
    let mut asked: BTreeMap<&str, Vec<(bool, &str, String)>> = BTreeMap::new();
    for line in lines {
        let [target, at, instruction, accepted] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let accepted: Vec<usize> = accepted.split(' ').filter_map(|number| number.parse().ok()).collect();
        let (opcode, operands) = instruction.trim_end_matches(';').split_once(' ').expect("operands");
        let operands: Vec<&str> = operands.split(", ").collect();
        let at: usize = at.parse().expect("an index");
        for (number, kind) in kinds.iter().enumerate() {
            let mut operands = operands.clone();
            operands[at] = kind;
            let line = format!("{opcode} {};", operands.join(", "));
            asked.entry(target).or_default().push((accepted.contains(&number), *kind, line));
        }
    }
    // Modules of a size that people write.
    for (target, lines) in asked.iter().flat_map(|(target, lines)| lines.chunks(2_000).map(move |part| (target, part)))
    {
        let written: Vec<&str> = lines.iter().map(|(_, _, line)| &**line).collect();
        let before = format!(".version 9.5\n.target {target}\n.address_size 64\n{declarations}\n");
        let text = format!("{before}{}\nret; }}\n", written.join("\n"));
        let snapshot = Snapshot::new(SourceFile::parse(&text), Settings::default());
        let mut found: Vec<Option<String>> = vec![None; lines.len()];
        for finding in snapshot.diagnostics().iter().filter(|finding| finding.severity == Severity::Error) {
            let line = snapshot.file.position(finding.range.start).line - before.lines().count();
            found[line] = Some(finding.message().to_string());
        }
        for ((accepted, kind, line), found) in lines.iter().zip(found) {
            if *accepted != found.is_none() && !is_known_difference(line, kind, *accepted) {
                wrong.push(format!("{} {line} {found:?}", if *accepted { "accepted" } else { "rejected" }));
            }
        }
    }
    asked.values().map(Vec::len).sum()
}

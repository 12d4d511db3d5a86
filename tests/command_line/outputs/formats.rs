//! Machine-readable output: each format is valid for an independent validator, and has the same content as `jsonl`.

use crate::{Run, run, run_in, scratch};
use diagnostics::Severity;
use diagnostics::registry::rule;
use serde_json::{Value, json};
use std::fs;
use support::schema::{self, Validator};

const REALISTIC: &str = "tests/fixtures/realistic";

fn lint(format: &str) -> String {
    run(&["lint", "--format", format, REALISTIC]).stdout
}

/// (path, line, code) of what jsonl says.
fn expected() -> Vec<(String, u64, String)> {
    let of = |line: &str| {
        let finding: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| finding[key].as_str().expect("text").to_owned();
        (text("path"), finding["line"].as_u64().expect("a number"), text("code"))
    };
    lint("jsonl").lines().map(of).collect()
}

#[test]
fn executions_are_code_flows_of_sarif() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
//! check pass grid 2 x=u32[1]
//! require x == 2
.visible .entry pass(.param .u64 x)
{
    .reg .b64 %x;
    .reg .b32 %v;
    ld.param.u64 %x, [x];
    ld.relaxed.gpu.global.u32 %v, [%x];
    add.u32 %v, %v, 1;
    st.relaxed.gpu.global.u32 [%x], %v;
    ret;
}
";
    let run =
        run_in(&support::root(), &["lint", "--format", "sarif", "--stdin-filename", "a.ptx", "-"], text.as_bytes());
    let log: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(Validator::new(&schema::sarif()).is_valid(&log));
    let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    let step = |step: &Value| {
        let line = &step["location"]["physicalLocation"]["region"]["startLine"];
        format!("{} {line} {}", step["executionOrder"], step["location"]["message"]["text"].as_str().expect("text"))
    };
    let flow = |flow: &Value| {
        let steps: Vec<String> = flow["locations"].as_array().expect("steps").iter().map(step).collect();
        (flow["id"].as_str().expect("text").to_owned(), steps)
    };
    let flows: Vec<_> = flows.as_array().expect("threads").iter().map(flow).collect();
    let thread = |cta: u32, first: u32| {
        let steps = [
            format!("{first} 11 step {first}: thread 0 of CTA {cta} reads 0 from `x`"),
            format!("{0} 13 step {0}: thread 0 of CTA {cta} writes 1 to `x`", first + 1),
        ];
        (format!("thread 0 of CTA {cta}"), steps.to_vec())
    };
    assert_eq!(flows, [thread(1, 1), thread(0, 3)]);
}

#[test]
fn sarif_is_valid_and_complete_and_bad_files_are_not() {
    let log: Value = serde_json::from_str(&lint("sarif")).expect("JSON");
    let validator = Validator::new(&schema::sarif());
    assert_eq!(validator.errors(&log), [""; 0]);
    for (pointer, bad) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/tool/driver", json!({})),
        ("/runs/0/results/0/message", json!("text")),
    ] {
        let mut mutated = log.clone();
        *mutated.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = bad;
        assert!(!validator.is_valid(&mutated), "{pointer} is checked");
    }

    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), diagnostics::registry::RULES.len());
    let results = log["runs"][0]["results"].as_array().expect("results");
    let found: Vec<_> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let code = result["ruleId"].as_str().expect("text").to_owned();
            assert_eq!(rules[result["ruleIndex"].as_u64().expect("a number") as usize]["id"], code.as_str());
            let line = place["region"]["startLine"].as_u64().expect("a number");
            (place["artifactLocation"]["uri"].as_str().expect("text").to_owned(), line, code)
        })
        .collect();
    assert_eq!(found, expected());
    assert!(results.iter().any(|result| !result["fixes"][0]["artifactChanges"][0]["replacements"][0].is_null()));
    assert!(rules.iter().all(|rule| rule["help"]["markdown"].as_str().is_some_and(|page| page.contains("## Example"))));
}

#[test]
fn the_rules_of_sarif_link_to_their_pages() {
    let url = "https://example.org/docs/{code}.html";
    let arguments = ["lint", "--format", "sarif", "--pages", url, "--stdin-filename", "a.ptx", "-"];
    let log: Value =
        serde_json::from_str(&run_in(&support::root(), &arguments, b".version 8.0\n").stdout).expect("JSON");
    assert!(Validator::new(&schema::sarif()).is_valid(&log));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for rule in rules {
        let code = rule["id"].as_str().expect("a code");
        assert_eq!(rule["helpUri"], format!("https://example.org/docs/{code}.html"));
    }
    let refused = run(&["lint", "--pages", "docs/{code}", "."]);
    assert!(refused.code == 2 && refused.stderr.contains("expected a URL with {code}"), "{}", refused.stderr);
}

#[test]
fn gitlab_reports_have_what_gitlab_reads() {
    // What GitLab's documentation of the format asks for.
    let text = json!({"type": "string", "minLength": 1});
    let line = json!({"type": "integer", "minimum": 1});
    let lines = json!({"type": "object", "required": ["begin"], "properties": {"begin": line, "end": line}});
    let location = json!({"type": "object", "required": ["path", "lines"],
        "properties": {"path": {"type": "string", "pattern": "^[^./]"}, "lines": lines}});
    let schema = json!({"type": "array", "items": {"type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {"description": text, "check_name": text, "fingerprint": text, "location": location,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]}}}});
    let validator = Validator::new(&schema);
    let report: Value = serde_json::from_str(&lint("gitlab")).expect("JSON");
    assert_eq!(validator.errors(&report), [""; 0]);
    for (pointer, bad) in [("/0/severity", json!("error")), ("/0/location/path", json!("./a")), ("/0", json!({}))] {
        let mut mutated = report.clone();
        *mutated.pointer_mut(pointer).expect("is there") = bad;
        assert!(!validator.is_valid(&mutated), "{pointer} is checked");
    }
    let issues = report.as_array().expect("a list");
    let found: Vec<_> = issues
        .iter()
        .map(|issue| {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            let line = issue["location"]["lines"]["begin"].as_u64().expect("a number");
            (text(&issue["location"]["path"]), line, text(&issue["check_name"]))
        })
        .collect();
    assert_eq!(found, expected());
    let mut prints: Vec<_> = issues.iter().map(|issue| issue["fingerprint"].as_str().expect("text")).collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), issues.len(), "GitLab takes equal fingerprints for one finding");
}

/// The suites of a JUnit report: path, failures and cases. What is no JUnit XML is an error.
fn suites(text: &str) -> Result<Vec<(String, usize, usize)>, String> {
    let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let children = |node: roxmltree::Node<'_, '_>, name: &'static str| -> Result<usize, String> {
        let elements: Vec<_> = node.children().filter(|child| child.is_element()).collect();
        let named = elements.iter().all(|element| element.has_tag_name(name));
        named.then_some(elements.len()).ok_or_else(|| format!("{name} expected"))
    };
    let count = |node: roxmltree::Node<'_, '_>, name: &str| -> Result<usize, String> {
        node.attribute(name).and_then(|number| number.parse().ok()).ok_or_else(|| format!("{name} expected"))
    };
    if !root.has_tag_name("testsuites") {
        return Err("testsuites expected".to_owned());
    }
    root.attribute("name").ok_or("name expected")?;
    children(root, "testsuite")?;
    let mut suites = Vec::new();
    for suite in root.children().filter(|child| child.is_element()) {
        let path = suite.attribute("name").ok_or("name expected")?.to_owned();
        let cases: Vec<_> = suite.children().filter(|child| child.is_element()).collect();
        let named = |case: &roxmltree::Node<'_, '_>| {
            case.attribute("name").is_some() && case.attribute("classname") == Some(&path)
        };
        let mut failures = 0;
        for case in &cases {
            failures += children(*case, "failure")?;
        }
        let counted = (count(suite, "failures")?, count(suite, "tests")?);
        if children(suite, "testcase")? != counted.1 || failures != counted.0 || !cases.iter().all(named) {
            return Err(format!("{path}: cases are not as counted"));
        }
        suites.push((path, counted.0, counted.1));
    }
    let sum = suites.iter().map(|(_, failures, _)| failures).sum::<usize>();
    if sum == count(root, "failures")? { Ok(suites) } else { Err("failures are not as counted".to_owned()) }
}

#[test]
fn junit_is_read_by_a_parser_and_bad_files_are_not() {
    let text = lint("junit");
    let found = suites(&text).expect("JUnit");
    let files =
        fs::read_dir(support::root().join(REALISTIC)).expect("fixtures").map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.extension().is_none_or(|ending| ending != "toml")).count();
    assert_eq!(found.len(), files, "a suite a file");
    let expected = expected();
    for (path, failures, cases) in found {
        let wanted = expected.iter().filter(|(finding, ..)| *finding == path).count();
        assert_eq!((failures, cases), (wanted, wanted.max(1)), "{path}");
    }
    for mutated in
        [text.replace("</testsuites>", ""), text.replacen("name=", "nome=", 1), text.replace("<failure", "<fail<ure")]
    {
        assert!(suites(&mutated).is_err());
    }
}

#[test]
fn github_annotations_name_file_line_and_column_and_escape() {
    let annotations = lint("github");
    let commands: Vec<&str> = annotations.lines().collect();
    let expected = expected();
    assert_eq!(commands.len(), expected.len());
    for (command, (path, line, code)) in commands.iter().zip(expected) {
        let level = rule(&code).expect("a rule").severity.name();
        let start = format!("::{level} file={path},line={line},endLine={line},col=");
        assert!(command.starts_with(&start), "{command}");
        assert!(command.contains(&format!(",title=ptx-atomics%3A {code}::")), "{command}");
    }
    let folder = scratch("github");
    fs::write(folder.join("a,b%.ptx"), ".version 8.0\n.target sm_9\n").expect("written");
    let escaped = run_in(&folder, &["lint", "--format", "github", "a,b%.ptx"], b"").stdout;
    assert!(escaped.starts_with("::error file=a%2Cb%25.ptx,line=2"), "{escaped}");
}

#[test]
fn several_files_are_written_beside_what_the_terminal_shows() {
    let folder = scratch("several");
    let source = support::root().join(REALISTIC).join("bitwise_on_u32.ptx");
    fs::copy(source, folder.join("a.ptx")).expect("copied");
    let Run { code, stdout, stderr } = run_in(
        &folder,
        &["lint", "--output", "sarif=a.sarif", "--output", "junit=a.xml", "--output", "jsonl=a.jsonl", "a.ptx"],
        b"",
    );
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert!(stdout.contains("error[illegal-type]"), "{stdout}");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    assert_eq!(read("a.sarif"), run_in(&folder, &["lint", "--format", "sarif", "a.ptx"], b"").stdout);
    assert_eq!(read("a.jsonl"), run_in(&folder, &["lint", "--format", "jsonl", "a.ptx"], b"").stdout);
    assert!(read("a.xml").starts_with("<?xml"));
    let wrong = run_in(&folder, &["lint", "--output", "sarf=a", "a.ptx"], b"");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("unknown format `sarf`; did you mean `sarif`?"), "{}", wrong.stderr);
    assert_eq!(run_in(&folder, &["lint", "--output", "sarif=no/such/folder", "a.ptx"], b"").code, 2);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    for format in ["text", "sarif", "junit"] {
        let jobs = |n: &str| run(&["lint", "--format", format, "--jobs", n, "tests/fixtures"]).stdout;
        let one = jobs("1");
        assert!(!one.is_empty());
        assert_eq!(one, jobs("7"), "{format}");
    }
}

#[test]
fn quiet_statistics_limits_and_colours() {
    let quiet = run(&["lint", "--quiet", REALISTIC]);
    assert!(quiet.stdout.contains("error[") && !quiet.stdout.contains("checked"), "{}", quiet.stdout);
    let statistics = run(&["lint", "--statistics", REALISTIC]);
    assert_eq!(statistics.code, 1);
    let count = |line: &str| line.split_whitespace().next().and_then(|n| n.parse::<usize>().ok()).expect("a count");
    let counts: Vec<_> = statistics.stdout.lines().map(count).collect();
    assert_eq!(counts.iter().sum::<usize>(), expected().len());
    assert!(counts.iter().rev().is_sorted(), "{}", statistics.stdout);
    let few = run(&["lint", "--max-findings", "2", REALISTIC]);
    assert_eq!(few.stdout.matches("error[").count(), 2);
    let errors = expected().iter().filter(|(.., code)| rule(code).expect("a rule").severity == Severity::Error).count();
    assert!(few.stdout.contains(&format!("checked: {errors} errors")), "all are counted: {}", few.stdout);
    assert_eq!(run(&["lint", "--max-findings", "3", "--format", "jsonl", REALISTIC]).stdout.lines().count(), 3);
    assert!(run(&["lint", "--color", "always", REALISTIC]).stdout.contains('\u{1b}'));
}

#[test]
fn shells_and_man_get_what_they_want() {
    use completions::CompletionFormat::{Bash, Elvish, Fish, Manual, PowerShell, Zsh};
    for format in [Bash, Elvish, Fish, PowerShell, Zsh, Manual] {
        let text = completions::text(format, command_line::command()).expect("memory");
        let option = if matches!(format, Manual) { "write\\-baseline" } else { "write-baseline" };
        assert!(String::from_utf8(text).expect("UTF-8").contains(option), "the options of lint");
    }
}

#[test]
fn a_command_that_a_build_lacks_says_how_to_get_it() {
    let Run { code, stdout, stderr } = run(&["completions", "bash"]);
    let how = "build one that has: cargo install --profile dist --features dist --path server/cli";
    assert!(code == 2 && stdout.is_empty() && stderr.ends_with(&format!("{how}\n")), "{stderr}");
    assert!(stderr.starts_with("ptx-atomics: this build has no `completions bash`"), "{stderr}");
}

/// A module that a compiler made from `kernel.cu`, which inlined a function of `lib.h`.
const GENERATED: &str = ".version 8.0
.target sm_60
.address_size 64
.entry k(.param .u64 p)
{
.reg .b64 %rd<2>;
.reg .b32 %r<2>;
.loc 1 2 5
ld.param.u64 %rd1, [p];
.loc 2 1 9, function_name $L0, inlined_at 1 2 5
atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
ret;
}
.file 1 \"kernel.cu\"
.file 2 \"/nowhere/lib.h\"
.section .debug_str
{
$L0:
.b8 102, 0
}
";

#[test]
fn a_diagnostic_of_generated_code_leads_to_its_source() {
    let folder = scratch("generated");
    fs::write(folder.join("k.ptx"), GENERATED).expect("writes");
    fs::write(folder.join("kernel.cu"), "__global__ void k(int *p) {\n    f(p);\n}\n").expect("writes");
    let lint = |format: &str| run_in(&folder, &["lint", "--format", format, "k.ptx"], b"").stdout;

    let found: Value = serde_json::from_str(lint("jsonl").lines().next().expect("a line")).expect("JSON");
    let place = |path: &str, line: u64, column: u64| json!({"path": path, "line": line, "column": column});
    assert_eq!(found["source"], json!([place("/nowhere/lib.h", 1, 9), place("kernel.cu", 2, 5)]));
    let listed = "generated from /nowhere/lib.h:1:9, inlined at kernel.cu:2:5";
    assert!(lint("text").contains(&format!("= note: {listed}")), "a file outside of the folder is not read");
    assert!(lint("github").contains(listed));
    let log: Value = serde_json::from_str(&lint("sarif")).expect("JSON");
    let related = log["runs"][0]["results"][0]["relatedLocations"].as_array().and_then(|related| related.last());
    let place = &related.expect("a place")["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "kernel.cu");
    assert_eq!(place["region"], json!({"startLine": 2, "startColumn": 5}));
    let validator = Validator::new(&schema::sarif());
    assert!(validator.is_valid(&log));

    fs::write(folder.join("k.ptx"), GENERATED.replace("/nowhere/lib.h", "lib.h")).expect("writes");
    fs::write(folder.join("lib.h"), "void f(int *p) { atomicAdd(p, 1); }\n").expect("writes");
    let text = lint("text");
    let lines =
        "  --> lib.h:1:9\n   |\n 1 | void f(int *p) { atomicAdd(p, 1); }\n   |         - generated from this line\n";
    assert!(text.contains(lines) && text.contains("2 |     f(p);\n   |     - inlined here"), "{text}");
}

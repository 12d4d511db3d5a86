//! The server and the command line report the same diagnostics for every fixture.

use crate::client::{Client, editor};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn fixtures(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            fixtures(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "ptx" || ending == "sass" || ending == "cu") {
            found.push(path);
        }
    }
}

/// What is compared: place, severity, code, and the message with its help.
type Said = BTreeSet<(u64, u64, u64, u64, String, String, String)>;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn linted(path: &Path) -> Said {
    let output = Command::new(support::binary()).args(["lint", "--format", "jsonl"]).arg(path).output().expect("runs");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let finding = |line: &str| {
        let finding: Value = serde_json::from_str(line).expect("JSON");
        let help = text(&finding["help"]);
        let mut message = text(&finding["message"]);
        if !help.is_empty() {
            message += &format!("\nhelp: {help}");
        }
        // The fixtures have relative paths, which a client cannot show as locations.
        let place = |place: &Value| format!("{}:{}:{}", text(&place["path"]), place["line"], place["column"]);
        if let Some(places) = finding["source"].as_array() {
            message += &format!(
                "\nnote: generated from {}",
                places.iter().map(place).collect::<Vec<_>>().join(", inlined at ")
            );
        }
        (
            number(&finding["line"]),
            number(&finding["column"]),
            number(&finding["end_line"]),
            number(&finding["end_column"]),
            text(&finding["severity"]),
            text(&finding["code"]),
            message,
        )
    };
    lines.lines().map(finding).collect()
}

fn published(client: &mut Client, path: &Path) -> Said {
    let uri = format!("file://{}", path.display());
    client.open(&uri, 1, &std::fs::read_to_string(path).expect("UTF-8"));
    let found = client.diagnostics(&uri, 1);
    let finding = |one: &Value| {
        let severity = ["error", "warning", "info", "hint"][number(&one["severity"]) as usize - 1];
        let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
        (
            number(&start["line"]) + 1,
            number(&start["character"]) + 1,
            number(&end["line"]) + 1,
            number(&end["character"]) + 1,
            severity.to_owned(),
            text(&one["code"]),
            text(&one["message"]),
        )
    };
    found.iter().map(finding).collect()
}

#[test]
fn server_and_command_line_find_the_same_in_every_fixture() {
    let mut paths = Vec::new();
    fixtures(&support::root().join("tests/fixtures"), &mut paths);
    assert!(paths.len() > 10, "the fixtures are somewhere else: {paths:?}");
    paths.sort();
    // The command line counts in Unicode scalar values.
    let mut capabilities = editor();
    capabilities["general"] = json!({"positionEncodings": ["utf-32"]});
    let mut client = Client::with(capabilities);
    let mut findings = 0;
    for path in paths {
        let (linted, published) = (linted(&path), published(&mut client, &path));
        assert_eq!(linted, published, "{}", path.display());
        findings += linted.len();
    }
    assert!(findings > 5, "the fixtures hold mistakes");
    client.leave();
}

#[test]
fn the_server_tells_of_a_byte_order_mark_too() {
    let mut client = Client::with(json!({}));
    let uri = "file:///work/marked.ptx";
    client.open(uri, 1, "\u{feff}.version 8.0\n.target sm_90\n");
    let found = client.diagnostics(uri, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0]["message"].as_str().map(|message| message.contains("byte order mark")),
        Some(true),
        "{found:?}"
    );
    client.leave();
}

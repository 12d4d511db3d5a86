//! The reviews of warnings in public repositories: the format of the table, and the totals in its README.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const COLUMNS: &str = "repository\tcommit\tcode\topcode\tplaces\texample\tverdict\treason";
const VERDICTS: [&str; 3] = ["act", "would not", "open"];

/// What a row says, or what is wrong with it.
fn read(row: &str) -> Result<(&str, usize), String> {
    let cells: Vec<&str> = row.split('\t').collect();
    let [repository, commit, code, opcode, places, example, verdict, reason] = cells[..] else {
        return Err(format!("{} cells", cells.len()));
    };
    let hexadecimal = commit.len() == 12 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = example.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<usize>().ok()?)));
    let failures = [
        (repository.split('/').count() != 2, "repository"),
        (!hexadecimal, "commit"),
        (ide::explain::page(code).is_err(), "code"),
        (opcode.is_empty() || opcode.contains(' '), "opcode"),
        (line.is_none_or(|(path, line)| path.is_empty() || line == 0), "example"),
        (!VERDICTS.contains(&verdict), "verdict"),
        (reason.is_empty(), "reason"),
    ];
    let places = places.parse().ok().filter(|places| *places > 0).ok_or("places")?;
    match failures.iter().find(|(wrong, _)| *wrong) {
        Some((_, cell)) => Err((*cell).to_owned()),
        None => Ok((verdict, places)),
    }
}

#[test]
fn every_row_is_complete_and_the_totals_match_the_page() {
    let folder = support::evidence("repositories");
    let table = fs::read_to_string(folder.join("verdicts.tsv")).expect("the table");
    let (head, rows) = table.split_once('\n').expect("a first line");
    assert_eq!(head, COLUMNS);
    let mut totals = BTreeMap::<&str, (usize, usize)>::new();
    let mut known = BTreeSet::new();
    for row in rows.lines() {
        let (verdict, places) = read(row).unwrap_or_else(|wrong| panic!("{wrong}: {row}"));
        let total = totals.entry(verdict).or_default();
        *total = (total.0 + 1, total.1 + places);
        let cells: Vec<&str> = row.split('\t').collect();
        assert!(known.insert((cells[0], cells[2], cells[3])), "twice: {row}");
    }
    let page = fs::read_to_string(folder.join("README.md")).expect("the page");
    for verdict in VERDICTS {
        let (rows, places) = totals[verdict];
        let line = format!("| `{verdict}` | {rows} | {places} |");
        assert!(page.contains(&line), "the page wants {line}");
    }
}

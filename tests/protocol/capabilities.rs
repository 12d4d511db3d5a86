//! The table of capabilities in `editors/README.md` matches what the server announces.

use crate::client::{Client, editor};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SECTION: &str = "## LSP capabilities";

#[test]
fn the_table_lists_what_the_server_announces() {
    let document = std::fs::read_to_string(support::root().join("editors/README.md")).expect("is there");
    let section = document.split(SECTION).nth(1).expect("is there").split("\n## ").next().unwrap_or_default();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 30 && rows.iter().all(|row| row.len() == 6), "{} rows", rows.len());

    let mut client = Client::start();
    let mut capabilities = editor();
    capabilities["general"] = json!({"positionEncodings": ["utf-8"]});
    let announced = client.initialize(json!({"capabilities": capabilities}))["capabilities"].clone();
    let mut listed = BTreeSet::new();
    for row in &rows {
        let name = row[0].trim_matches('`');
        let has = row[1] == "yes";
        let value = name.split('.').fold(&announced, |value, part| &value[part]);
        assert_eq!(!matches!(value, Value::Null | Value::Bool(false)), has, "{name}: {value}");
        let others = row[2..5].contains(&"yes");
        assert!(has || (others && !row[5].is_empty()), "{name}: a capability that only others have needs a reason");
        listed.insert(name.split('.').next().unwrap_or_default().to_owned());
    }
    for name in announced.as_object().expect("an object").keys() {
        assert!(listed.contains(name), "{name} is announced and not in the table");
    }
    client.leave();
}

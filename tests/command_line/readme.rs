//! What the README shows is what the commands print: blocks behind `<!-- output: ARGUMENTS -->`.
//!
//! With `PTX_ATOMICS_UPDATE=1` the test writes what they print into the README instead.

use crate::run;
use std::fs;

#[test]
fn the_readme_shows_what_the_commands_print() {
    let path = support::root().join("README.md");
    let readme = fs::read_to_string(&path).expect("a README");
    let mut pieces = readme.split("<!-- output: ");
    let mut renewed = pieces.next().unwrap_or_default().to_owned();
    let mut shown = 0;
    for piece in pieces {
        let (arguments, rest) = piece.split_once(" -->\n```text\n").expect("a text block follows the comment");
        let (_, after) = rest.split_once("```\n").expect("the block ends");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let printed = run(&arguments).stdout;
        assert!(!printed.is_empty(), "{arguments:?} prints nothing");
        renewed += &format!("<!-- output: {} -->\n```text\n{printed}```\n{after}", arguments.join(" "));
        shown += 1;
    }
    assert!(shown >= 3, "the README shows {shown} outputs");
    if std::env::var_os("PTX_ATOMICS_UPDATE").is_some_and(|value| value == "1") {
        fs::write(path, renewed).expect("the README can be written");
    } else {
        assert_eq!(renewed, readme, "run the test with PTX_ATOMICS_UPDATE=1 and read the difference");
    }
}

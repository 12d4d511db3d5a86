//! Errors in rows and their positions.

use crate::tables::table::{Family, RowError, RowsFile, SHARED, Section, sections};

/// The families of a file.
fn read(file: RowsFile, shared: &[Section]) -> Result<Vec<Family>, RowError> {
    let own = sections(file)?;
    own.iter().filter(|section| section.is_family(section.name)).map(|section| section.read(&own, shared)).collect()
}

/// Seven lines; a wrong one is the eighth.
const SOUND: &str = "\
// A family that is none.
block spaces
slot .space  global shared
family  zap
use spaces
form zap{.space}.op.type   [a], b
  add u32 PTX 1.0
";

fn error(wrong: &'static str) -> String {
    let text = [SOUND, wrong].concat().leak();
    match read(RowsFile { path: "zap.rows", text }, SHARED.sections()) {
        Ok(families) => panic!("read: {families:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_invalid_row_is_reported_with_file_and_line() {
    let cases = [
        ("  add  u33  PTX 1.0", "unknown word `u33`"),
        ("  add  u32  PTX 1.0 sm_9000", "invalid version or target `sm_9000`"),
        ("  add  u32  PTX 1.0; sys PTX 2.0", "missing `with` after the semicolon"),
        ("  add  u32  v2", "no slot of the form has the word `v2`"),
        ("conflict add u32", "missing `with` between two sets of words"),
        ("require .scope with .space", "unknown slot `.scope`"),
        ("default space  generic", "expected a slot with a dot, found `space`"),
        ("form zip.type   [a]", "no form of `zap`: `zip.type`"),
        ("use nothing", "unknown block `nothing`"),
    ];
    for (row, message) in cases {
        assert_eq!(error(row), format!("zap.rows:8: {message}"), "{row}");
    }
}

#[test]
fn an_error_in_a_block_has_its_position() {
    let file = RowsFile { path: "zap.rows", text: "family zap\nuse spaces\nform zap.op\n" };
    let shared = sections(RowsFile { path: "blocks.rows", text: "block spaces\n\nconflict shared" }).expect("a block");
    let error = read(file, &shared).expect_err("no `with`").to_string();
    assert_eq!(error, "blocks.rows:3: missing `with` between two sets of words");
}

//! `fmt`: spaces change, tokens do not, and nothing is lost.

use crate::{run_in, scratch};
use std::fs;

const UGLY: &str =
    ".version 8.0\n.target sm_90\n.visible .entry k(){.reg .b32 r;\n\n\n\n   add.u32   r,r , 1 ; // one\nret;}\n";

#[test]
fn formatting_in_place_is_idempotent() {
    let folder = scratch("fmt");
    let path = folder.join("a.ptx");
    fs::write(&path, UGLY).unwrap();
    let check = run_in(&folder, &["fmt", "--check"], b"");
    assert_eq!((check.code, check.stdout.as_str()), (1, "./a.ptx\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), UGLY, "--check changes nothing");
    assert_eq!(run_in(&folder, &["fmt", "a.ptx"], b"").code, 0);
    let pretty = fs::read_to_string(&path).unwrap();
    assert!(pretty.contains("add.u32 r, r, 1;") && pretty.contains("// one"), "{pretty}");
    let check = run_in(&folder, &["fmt", "--check"], b"");
    assert_eq!((check.code, check.stdout.as_str()), (0, ""));
    let piped = run_in(&folder, &["fmt", "-"], UGLY.as_bytes());
    assert_eq!((piped.code, piped.stdout), (0, pretty));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn invalid_utf_8_is_not_formatted() {
    let folder = scratch("fmt-bytes");
    let bytes = [UGLY.as_bytes(), b"// \xff\n"].concat();
    fs::write(folder.join("a.ptx"), &bytes).unwrap();
    let run = run_in(&folder, &["fmt", "a.ptx"], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("invalid UTF-8"), "{}", run.stderr);
    assert_eq!(fs::read(folder.join("a.ptx")).unwrap(), bytes);
}

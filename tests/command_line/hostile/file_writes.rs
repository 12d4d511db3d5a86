//! Writing files: atomically, keeping metadata, and never through links found in folders.

use crate::{run_in, scratch};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const WRONG: &str = ".version 8.0\n.target sm_90\n.visible .entry k()\n{\n\t.reg .b64 a;\n\t.reg .b32 r;\n\tred.global.or.u32 [a], r;\n\tret;\n}\n";

fn right() -> String {
    WRONG.replace(".u32", ".b32")
}

fn untidy() -> String {
    WRONG.replace("\tret", "      ret")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("is there")
}

#[test]
fn a_file_that_is_read_only_or_has_other_names_is_left_with_a_message() {
    let folder = scratch("write-refused");
    fs::write(folder.join("a.ptx"), WRONG).unwrap();
    fs::set_permissions(folder.join("a.ptx"), Permissions::from_mode(0o444)).unwrap();
    fs::write(folder.join("b.ptx"), WRONG).unwrap();
    fs::hard_link(folder.join("b.ptx"), folder.join("c.ptx")).unwrap();
    for (name, message) in [("a.ptx", "the file is read-only"), ("b.ptx", "the file has several hard links")] {
        // As root, nothing but its mode says of a file that it is read-only.
        for command in [&["lint", "--fix"][..], &["fmt"]] {
            if command[0] == "fmt" {
                fs::set_permissions(folder.join(name), Permissions::from_mode(0o644)).unwrap();
                fs::write(folder.join(name), untidy()).unwrap();
                let mode = if name == "a.ptx" { 0o444 } else { 0o644 };
                fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap();
            }
            let before = (read(&folder, name), fs::metadata(folder.join(name)).unwrap().ino());
            let run = run_in(&folder, &[command, &[name]].concat(), b"");
            let reported =
                run.stderr.contains(&format!("cannot write {name}")) || run.stderr.contains("permission denied");
            assert!(run.code == 2 && reported, "{command:?} {name}: {} {}", run.code, run.stderr);
            assert!(run.stderr.contains(message) || run.stderr.contains("permission denied"), "{}", run.stderr);
            assert!(!run.stderr.contains("fixed"), "{}", run.stderr);
            assert_eq!((read(&folder, name), fs::metadata(folder.join(name)).unwrap().ino()), before, "{command:?}");
            assert!(command[0] == "fmt" || run.stdout.contains("1 file checked: 1 error"), "{}", run.stdout);
        }
    }
    assert_eq!(fs::metadata(folder.join("c.ptx")).unwrap().nlink(), 2);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing is left over");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn permissions_owner_and_a_named_link_are_kept() {
    let folder = scratch("write-kept");
    fs::create_dir(folder.join("inner")).unwrap();
    fs::write(folder.join("inner/a.ptx"), WRONG).unwrap();
    fs::set_permissions(folder.join("inner/a.ptx"), Permissions::from_mode(0o640)).unwrap();
    // Only root may give files away.
    let given = std::os::unix::fs::chown(folder.join("inner/a.ptx"), Some(1234), Some(2345)).is_ok();
    symlink("inner/a.ptx", folder.join("link.ptx")).unwrap();
    assert_eq!(run_in(&folder, &["lint", "--fix", "link.ptx"], b"").code, 0);
    assert_eq!(read(&folder, "inner/a.ptx"), right());
    assert!(folder.join("link.ptx").is_symlink());
    let about = fs::metadata(folder.join("inner/a.ptx")).unwrap();
    assert_eq!(about.mode() & 0o777, 0o640);
    assert!(!given || (about.uid(), about.gid()) == (1234, 2345));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn links_found_in_a_folder_lead_no_write_out_of_it() {
    let folder = scratch("write-outside");
    fs::create_dir(folder.join("outside")).unwrap();
    fs::create_dir(folder.join("work")).unwrap();
    fs::write(folder.join("outside/a.ptx"), WRONG).unwrap();
    fs::write(folder.join("outside/b.ptx"), untidy()).unwrap();
    fs::write(folder.join("work/own.ptx"), WRONG).unwrap();
    symlink("../outside/a.ptx", folder.join("work/a.ptx")).unwrap();
    symlink("../outside/b.ptx", folder.join("work/b.ptx")).unwrap();
    symlink("own.ptx", folder.join("work/same.ptx")).unwrap();
    fs::write(folder.join("work/c.txt"), WRONG).unwrap();
    symlink("c.txt", folder.join("work/c.ptx")).unwrap();
    let run = run_in(&folder, &["lint", "--fix", "work"], b"");
    assert_eq!(read(&folder, "work/own.ptx"), right());
    assert_eq!((read(&folder, "outside/a.ptx"), read(&folder, "outside/b.ptx")), (WRONG.to_owned(), untidy()));
    assert!(run.stderr.contains("cannot fix work/c.ptx: symbolic link in a searched folder"), "{}", run.stderr);
    assert_eq!(read(&folder, "work/c.txt"), WRONG);
    assert!(run.stdout.contains("skipped: 1 file in other languages, 2 links out of the folder"), "{}", run.stdout);
    assert!(run.stderr.contains("1 finding fixed") && !run.stderr.contains("same.ptx"), "{}", run.stderr);
    assert_eq!(run.code, 2);
    run_in(&folder, &["fmt", "work"], b"");
    assert_eq!(read(&folder, "outside/b.ptx"), untidy());
    assert_eq!(run_in(&folder, &["fmt", "--check", "work"], b"").code, 0, "what is not written is not asked for");
    // Named, a link is what its user means; a file with two names is written once.
    let run = run_in(&folder, &["lint", "--fix", "work", "work/a.ptx", "outside/a.ptx"], b"");
    assert!(run.stderr.contains("1 finding fixed") && read(&folder, "outside/a.ptx") == right(), "{}", run.stderr);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn reports_replace_a_file_in_one_step_and_devices_and_pipes_are_written_to() {
    let folder = scratch("write-reports");
    fs::write(folder.join("a.ptx"), WRONG).unwrap();
    for (option, value, name) in [("--output", "jsonl=old", "old"), ("--write-baseline", "base", "base")] {
        fs::write(folder.join(name), "what was there").unwrap();
        fs::set_permissions(folder.join(name), Permissions::from_mode(0o640)).unwrap();
        let before = fs::metadata(folder.join(name)).unwrap().ino();
        // Who reads the old one reads it to its end.
        let mut reader = fs::File::open(folder.join(name)).unwrap();
        run_in(&folder, &["lint", option, value, "a.ptx"], b"");
        let about = fs::metadata(folder.join(name)).unwrap();
        assert_ne!(about.ino(), before, "{option}: another file, put in place");
        assert_eq!(about.mode() & 0o777, 0o640, "{option}");
        assert!(read(&folder, name).contains("illegal-type"), "{option}");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, "what was there");
        fs::hard_link(folder.join(name), folder.join("other")).unwrap();
        run_in(&folder, &["lint", option, value, "a.ptx"], b"");
        assert_eq!(fs::metadata(folder.join(name)).unwrap().nlink(), 2, "{option}: a file keeps its names");
        fs::remove_file(folder.join("other")).unwrap();
    }
    let run = run_in(&folder, &["lint", "--quiet", "--format", "text", "--output", "jsonl=/dev/stdout", "a.ptx"], b"");
    assert!(run.stdout.contains("error[illegal-type]") && run.stdout.contains("{\"path\""), "{}", run.stdout);
    assert_eq!(run_in(&folder, &["lint", "--output", "sarif=/dev/null", "a.ptx"], b"").code, 1);
    assert!(Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = folder.join("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    run_in(&folder, &["lint", "--output", "jsonl=pipe", "a.ptx"], b"");
    assert!(reader.join().unwrap().contains("illegal-type"));
    assert!(
        run_in(&folder, &["lint", "--output", "jsonl=no/such/folder", "a.ptx"], b"")
            .stderr
            .contains("cannot write no/such/folder")
    );
    fs::remove_dir_all(folder).unwrap();
}

/// Runs with a closed standard output; returns the exit code and standard error.
fn unread(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(support::binary())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn whoever_stops_reading_is_no_failure() {
    let folder = scratch("write-unread");
    fs::write(folder.join("a.ptx"), WRONG).unwrap();
    fs::write(folder.join("a.litmus"), "PTX a\n{ }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0=0)\n").unwrap();
    for format in ["text", "jsonl", "sarif", "github", "gitlab", "junit"] {
        assert_eq!(unread(&folder, &["lint", "--format", format, "a.ptx"]), (Some(1), String::new()), "{format}");
        let report = format!("{format}=report");
        unread(&folder, &["lint", "--format", format, "--output", &report, "a.ptx"]);
        assert!(read(&folder, "report").contains("illegal-type"), "{format}: files are written all the same");
        fs::remove_file(folder.join("report")).unwrap();
    }
    let commands: [&[&str]; 9] = [
        &["lint", "--statistics", "--fail-on", "never", "a.ptx"],
        &["lint", "--show-settings", "a.ptx"],
        &["explain"],
        &["diff", "a.ptx", "a.ptx"],
        &["explain", "coverage"],
        &["litmus", "a.litmus"],
        &["litmus", "--format", "jsonl", "a.litmus"],
        &["eval", "atom.global.add.u32", "--mem", "1", "--b", "2"],
        &["--help"],
    ];
    for arguments in commands {
        assert_eq!(unread(&folder, arguments), (Some(0), String::new()), "{arguments:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn colours_are_where_the_conventions_want_them() {
    let folder = scratch("write-colours");
    fs::write(folder.join("a.ptx"), WRONG).unwrap();
    // A terminal of our own, where `script` can make one.
    let shown = |variables: &[(&str, &str)], terminal: bool| {
        let binary = support::binary();
        let mut command = Command::new(if terminal { "script" } else { binary.to_str().unwrap() });
        if terminal {
            command.args(["-qec", &format!("{} lint a.ptx", binary.display()), "/dev/null"])
        } else {
            command.args(["lint", "a.ptx"])
        };
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm").envs(variables.iter().copied()).current_dir(&folder).stdin(Stdio::null());
        let output = command.output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.contains("illegal-type").then(|| text.contains('\u{1b}'))
    };
    assert_eq!(shown(&[], false), Some(false));
    assert_eq!(shown(&[("CLICOLOR_FORCE", "1")], false), Some(true));
    assert_eq!(shown(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false), Some(false));
    for (variables, colours) in [
        (&[][..], true),
        (&[("TERM", "dumb")], false),
        (&[("NO_COLOR", "1")], false),
        (&[("NO_COLOR", "")], true),
        (&[("CLICOLOR", "0")], false),
    ] {
        match shown(variables, true) {
            None => eprintln!("`script` is not here: colours in a terminal were not looked at"),
            seen => assert_eq!(seen, Some(colours), "{variables:?}"),
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

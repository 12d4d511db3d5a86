//! Files in a folder that try to end the program, to hang it, or to have it read something else: each is refused by name, and the others are checked.
#![cfg(unix)]

use crate::{Run, git, run_in, scratch};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const WRONG: &str = ".version 8.0\n.target sm_7\n";
const CALL: &str = "inline_asm_elementwise(\"add.u64 $0, $1, 1;\", \"=r,r\", [x])\n";

/// Lints a folder. Each finding is a line `PATH:LINE: SEVERITY[CODE]: MESSAGE`.
pub(crate) fn lint(folder: &Path, options: &[&str]) -> Run {
    let run = run_in(folder, &[&["lint", "--format", "jsonl"], options].concat(), b"");
    let line = |line: &str| {
        let found: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| found[key].as_str().expect("a text").to_owned();
        format!("{}:{}: {}[{}]: {}\n", text("path"), found["line"], text("severity"), text("code"), text("message"))
    };
    Run { stdout: run.stdout.lines().map(line).collect(), ..run }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

/// Python with a call in so many nested blocks, each of which begins with a line.
fn nested(levels: usize, line: &str) -> String {
    let blocks: String = (0..levels).map(|level| format!("{}{line}\n", " ".repeat(level))).collect();
    blocks + &" ".repeat(levels) + CALL
}

#[test]
fn python_that_is_nested_more_deeply_than_python_allows_is_named_and_silences_nothing() {
    let folder = scratch("deep-python");
    fs::write(folder.join("z.ptx"), WRONG).unwrap();
    let cell = |text: &str| serde_json::json!({"cells": [{"cell_type": "code", "source": text}]}).to_string();
    let strings = |text: &str| text.replace("inline", &format!("{}inline", "f'{".repeat(151)));
    let texts = [
        ("deep.py", nested(511, "if 1:")),
        ("class.py", nested(383, "class A:")),
        ("tabs.py", nested(600, "def f():").replace("  ", "\t")),
        ("strings.py", strings(&nested(450, "while 1:"))),
        ("many.py", nested(5000, "if 1:")),
        ("deep.md", format!("```python\n{}```\n", nested(511, "if 1:"))),
        ("deep.ipynb", cell(&nested(511, "if 1:"))),
        ("100.py", nested(100, "if 1:")),
    ];
    for (name, text) in &texts {
        fs::write(folder.join(name), text).unwrap();
    }
    let run = lint(&folder, &[]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("z.ptx:2: error[unknown-target]"), "{}", run.stdout);
    for (name, _) in texts {
        let line =
            run.stdout.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {}", run.stdout));
        assert!(line.contains("too many levels of indentation"), "{line}");
    }
}

#[test]
fn python_that_python_accepts_is_read() {
    let folder = scratch("nested-python");
    let columns: String = (0..150).map(|column| format!("f(1,\n{}2)\n", " ".repeat(column))).collect();
    let texts = [
        ("99.py", nested(99, "if 1:")),
        ("brackets.py", format!("{}{CALL}{}", "(\n".repeat(198), ")".repeat(198))),
        ("columns.py", columns + CALL),
        ("sum.py", format!("y = {}1\n{CALL}", "1 + ".repeat(900))),
    ];
    for (name, text) in texts {
        fs::write(folder.join(name), text.replace("add.u64 $0, $1", "red.global.or.u32 [$1]")).unwrap();
        let run = lint(&folder, &[name]);
        assert!(run.stdout.contains("error[illegal-type]"), "{name}: {}", run.stdout);
    }
}

#[test]
fn python_that_would_take_long_is_named() {
    let folder = scratch("long-python");
    let texts = [
        ("brackets.py", format!("{}{CALL}{}", "(".repeat(201), ")".repeat(201)), "too many nested brackets"),
        ("minus.py", format!("y = {}1\n{CALL}", "-".repeat(20_000)), "expression is nested too deeply"),
        (
            "columns.py",
            (0..500).map(|at| format!("f(1,\n{}2)\n", " ".repeat(at))).collect::<String>() + CALL,
            "too many different",
        ),
    ];
    for (name, text, message) in texts {
        fs::write(folder.join(name), text).unwrap();
        let run = lint(&folder, &[name]);
        assert!(run.code == 1 && run.stdout.contains(message), "{name}: {}{}", run.stdout, run.stderr);
    }
}

/// A folder with a wrong module, and one that the patterns `b*.ptx` leave out.
fn patterned(name: &str) -> PathBuf {
    let folder = scratch(name);
    for name in ["a.ptx", "b.ptx"] {
        fs::write(folder.join(name), WRONG).unwrap();
    }
    folder
}

#[test]
fn ignore_files_that_are_no_small_regular_files_are_refused_by_name() {
    let outside = scratch("ignore-outside");
    fs::write(outside.join("patterns"), "*\n").unwrap();
    type Make<'a> = &'a dyn Fn(&Path);
    let makers: [(&str, Make); 5] = [
        ("symbolic link out of the folder", &|file| symlink("/dev/zero", file).unwrap()),
        ("symbolic link out of the folder", &|file| symlink(outside.join("patterns"), file).unwrap()),
        ("not a regular file", &pipe),
        ("larger than 1 MiB", &|file| fs::write(file, "*.ptx\n".repeat(200_000)).unwrap()),
        ("not a regular file", &|file| fs::create_dir(file).unwrap()),
    ];
    for file in [".gitignore", ".ignore", ".git/info/exclude", "inner/.gitignore"] {
        for (number, (reason, make)) in makers.iter().enumerate() {
            let folder = patterned("hostile-ignore");
            fs::create_dir_all(folder.join(".git/info")).unwrap();
            fs::create_dir_all(folder.join("inner")).unwrap();
            fs::write(folder.join("inner/c.ptx"), WRONG).unwrap();
            make(&folder.join(file));
            // Of a folder, and of its parents.
            let place = if file.starts_with("inner") { folder.join("inner") } else { folder.clone() };
            for (place, path) in [(&folder, "a.ptx"), (&place, ".ptx"), (&folder.join("inner"), "c.ptx")] {
                let run = lint(place, &[]);
                assert!(run.stdout.contains(path), "{file} {number}: {}{}", run.stdout, run.stderr);
                // As with git, more is looked at than was wanted.
                assert_eq!(run.code, 1, "{file} {number}: {}", run.stderr);
                let named = run.stderr.contains("warning: cannot use")
                    && run.stderr.contains(file)
                    && run.stderr.contains(reason);
                assert!(named, "{file} {number}: {}", run.stderr);
            }
        }
    }
}

#[test]
fn ignore_files_apply_as_those_of_git() {
    let folder = patterned("ignore");
    let linted = || {
        let run = lint(&folder, &["."]);
        assert!(!run.stderr.contains("cannot"), "{}", run.stderr);
        let mut names: Vec<String> =
            run.stdout.lines().filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect();
        names.retain(|name| name.ends_with(".ptx"));
        names.join(" ")
    };
    let write = |name: &str, text: &[u8]| {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), text).unwrap();
    };
    write("inner/b.ptx", WRONG.as_bytes());
    write("inner/deep/b2.ptx", WRONG.as_bytes());
    write(".hidden/b.ptx", WRONG.as_bytes());
    assert_eq!(linted(), "./a.ptx ./b.ptx ./inner/b.ptx ./inner/deep/b2.ptx");
    write(".gitignore", b"\xef\xbb\xbf# \xff\n/b.ptx\nb2.ptx\n");
    assert_eq!(linted(), "./a.ptx ./inner/b.ptx");
    write("inner/.gitignore", b"b.ptx\n!deep/b2.ptx\n");
    assert_eq!(linted(), "./a.ptx ./inner/deep/b2.ptx");
    write("inner/.ignore", b"deep/\n!b.ptx\n");
    assert_eq!(linted(), "./a.ptx ./inner/b.ptx", "`.ignore` takes precedence");
    // The patterns of git end at the repository, those of `.ignore` do not.
    fs::create_dir_all(folder.join("inner/.git/info")).unwrap();
    fs::remove_file(folder.join("inner/.ignore")).unwrap();
    fs::remove_file(folder.join("inner/.gitignore")).unwrap();
    assert_eq!(linted(), "./a.ptx ./inner/b.ptx ./inner/deep/b2.ptx");
    write("inner/.git/info/exclude", b"/deep\n");
    assert_eq!(linted(), "./a.ptx ./inner/b.ptx");
    write(".ignore", b"b.ptx\n!.hidden\n");
    assert_eq!(linted(), "./a.ptx", "what is below `.hidden` is left out by its own name");
    // A link within the repository is what it leads to.
    fs::remove_file(folder.join(".ignore")).unwrap();
    fs::remove_file(folder.join(".gitignore")).unwrap();
    write("patterns", b"a.ptx\n");
    symlink("patterns", folder.join(".gitignore")).unwrap();
    fs::create_dir_all(folder.join(".git")).unwrap();
    assert_eq!(linted(), "./b.ptx ./inner/b.ptx");
}

#[test]
fn further_work_trees_have_the_excludes_of_their_repository() {
    let folder = scratch("work-trees");
    let (repository, tree) = (folder.join("repository"), folder.join("tree"));
    fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    git(&repository, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&repository, &["worktree", "add", "-q", "../tree"]);
    fs::create_dir_all(repository.join(".git/info")).unwrap();
    fs::write(repository.join(".git/info/exclude"), "b.ptx\n").unwrap();
    for name in ["a.ptx", "b.ptx"] {
        fs::write(tree.join(name), WRONG).unwrap();
    }
    assert!(!lint(&tree, &[]).stdout.contains("b.ptx"));
    // A file that names a repository which does not know of it is somebody's invention.
    let other = folder.join("other");
    fs::create_dir_all(&other).unwrap();
    fs::copy(tree.join(".git"), other.join(".git")).unwrap();
    fs::write(other.join("b.ptx"), WRONG).unwrap();
    assert!(lint(&other, &[]).stdout.contains("b.ptx"));
}

/// The files in the folders of a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect()
}

#[test]
fn entries_of_a_cache_that_are_no_regular_files_are_not_read_nor_written() {
    let folder = scratch("cache-entries");
    fs::write(folder.join("a.ptx"), ".version 8.0\n.target sm_70\n").unwrap();
    let target = folder.join("target");
    let fresh = lint(&folder, &["--cache", "cache", "a.ptx"]);
    let known = entries(&folder.join("cache"));
    assert_eq!((fresh.code, known.len()), (0, 1));
    let whole = fs::read(&known[0]).unwrap();
    let makers: [&dyn Fn(&Path); 4] =
        [&pipe, &|entry| symlink("/dev/zero", entry).unwrap(), &|entry| symlink(&target, entry).unwrap(), &|entry| {
            fs::write(entry, [&whole[..], &[b' '; 1 << 20]].concat()).unwrap()
        }];
    for (number, make) in makers.iter().enumerate() {
        fs::remove_file(&known[0]).unwrap();
        make(&known[0]);
        let run = lint(&folder, &["--cache", "cache", "a.ptx"]);
        assert_eq!((run.code, run.stdout, run.stderr), (0, fresh.stdout.clone(), fresh.stderr.clone()), "{number}");
        assert!(!target.exists(), "{number}: written through a link");
    }
    // A folder of entries that is a link.
    let around = known[0].parent().unwrap();
    fs::remove_dir_all(around).unwrap();
    fs::create_dir(&target).unwrap();
    symlink(&target, around).unwrap();
    assert_eq!(lint(&folder, &["--cache", "cache", "a.ptx"]).code, 0);
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0, "written through a link");
}

#[test]
fn a_repository_cannot_carry_a_cache() {
    let folder = scratch("carried-cache");
    fs::write(folder.join("a.ptx"), ".version 8.0\n.target sm_70\n").unwrap();
    git(&folder, &["init", "-q"]);
    assert_eq!(lint(&folder, &["--cache", "inner/cache", "a.ptx"]).code, 0);
    git(&folder, &["add", "-f", "inner/cache"]);
    for cache in ["inner/cache", "inner", ".", "inner/../inner/cache/"] {
        let run = lint(&folder, &["--cache", cache, "a.ptx"]);
        assert!(run.code == 2 && run.stderr.contains("git tracks"), "{cache}: {}", run.stderr);
    }
    // A link to it, and a link that is tracked.
    symlink("inner/cache", folder.join("link")).unwrap();
    fs::create_dir(folder.join("free")).unwrap();
    symlink("free", folder.join("named")).unwrap();
    git(&folder, &["add", "-f", "named"]);
    for cache in ["link", "named"] {
        let run = lint(&folder, &["--cache", cache, "a.ptx"]);
        assert!(run.code == 2 && run.stderr.contains("git tracks"), "{cache}: {}", run.stderr);
    }
    assert_eq!(lint(&folder, &["--cache", "free", "a.ptx"]).code, 0);
}

#[test]
fn the_user_s_own_cache_is_outside_of_the_folder() {
    let folder = scratch("user-cache");
    fs::write(folder.join("a.ptx"), ".version 8.0\n.target sm_70\n").unwrap();
    let lint = |options: &[&str]| {
        let mut command = Command::new(support::binary());
        let command = command.args(["lint", "a.ptx"]).args(options).current_dir(&folder);
        command.env("XDG_CACHE_HOME", folder.join("home")).env("HOME", folder.join("home")).output().unwrap()
    };
    assert_eq!(lint(&["--user-cache"]).status.code(), Some(0));
    let found = ["home/ptx-atomics", "home/Library/Caches/ptx-atomics"].map(|inner| folder.join(inner));
    let found = found.iter().find(|folder| folder.is_dir()).expect("a cache");
    assert_eq!(entries(found).len(), 1);
    assert_eq!(lint(&["--user-cache", "--cache", "x"]).status.code(), Some(2));
}

#[test]
fn launches_in_comments_read_no_file() {
    let folder = scratch("launch-files");
    fs::write(folder.join("secret.npy"), "SECRET").unwrap();
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n";
    for line in ["run k p=@secret.npy", "run k p=u32[4]=@secret.npy", "run k p=u32[4]\n//! expect p == @secret.npy"] {
        fs::write(folder.join("a.ptx"), format!("{head}//! {line}\n")).unwrap();
        let run = lint(&folder, &["a.ptx"]);
        assert!(run.code == 1 && run.stdout.contains("run-unreadable"), "{line}: {}{}", run.stdout, run.stderr);
        assert!(!run.stdout.contains("SECRET"), "{}", run.stdout);
    }
}

/// A text that is mostly errors has a node, a message and a range for each few bytes.
#[test]
fn memory_is_bounded_by_the_length_of_a_text() {
    const LENGTH: usize = 1 << 18;
    let folder = scratch("memory");
    for (name, unit) in
        [("a.ptx", "([{"), ("b.ptx", "x;"), ("c.cu", "asm(\"x;\");"), ("d.py", "f(1)\n"), ("e.sass", "/**/ X ;\n")]
    {
        let head = if name == "d.py" { CALL } else { ".version 8.0\n.target sm_90\n" };
        fs::write(folder.join(name), head.to_owned() + &unit.repeat(LENGTH / unit.len())).unwrap();
        // Beside what the program itself takes: its code, its tables and the stacks of its threads.
        let kilobytes = (400 << 10) + 1500 * LENGTH / 1024;
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" lint -q -j1 --max-findings 10 {name}");
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script]).arg(support::binary()).current_dir(&folder);
        let output = command.output().expect("sh runs");
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "{name}: {code:?} {}", String::from_utf8_lossy(&output.stderr));
    }
}

//! Repositories whose settings, attributes and hooks name programs: `lint --diff` starts none of them, and compares what git would compare without them.
#![cfg(unix)]

use crate::{Run, git, run_in, scratch};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const MODULE: &str = ".version 8.0\n.target sm_7\n.visible .entry k() { ret; }\n";

/// Settings that name a program.
const SETTINGS: &[&str] = &[
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "diff.evil.textconv",
    "diff.evil.command",
    "diff.external",
    "merge.evil.driver",
    "core.fsmonitor",
    "core.pager",
    "pager.diff",
    "pager.ls-files",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "core.editor",
    "core.alternateRefsCommand",
    "credential.helper",
    "gpg.program",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "interactive.diffFilter",
    "alias.ls-files",
    "alias.diff-index",
];

/// A repository with one commit and one changed file.
fn repository(name: &str, attributes: &str) -> PathBuf {
    let folder = scratch(name);
    git(&folder, &["init", "-q", "-b", "main"]);
    fs::write(folder.join("a.ptx"), MODULE).unwrap();
    fs::write(folder.join(".gitattributes"), attributes).unwrap();
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    fs::write(folder.join("a.ptx"), format!("{MODULE}// changed\n")).unwrap();
    folder
}

/// A program that leaves a trace, and the trace.
fn program(folder: &Path) -> (String, PathBuf) {
    let (program, trace) = (folder.join(".git/evil.sh"), folder.join(".git/trace"));
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program.display().to_string(), trace)
}

fn lint(folder: &Path) -> Run {
    crate::hostile::hostile_files::lint(folder, &["--diff", "main", "."])
}

#[test]
fn no_setting_of_a_repository_starts_a_program() {
    for attributes in
        ["*.ptx diff=evil filter=evil merge=evil\n", "*.ptx diff=evil merge=evil\n", "[attr]x filter=evil\n*.ptx x\n"]
    {
        let folder = repository("settings-programs", attributes);
        let (evil, trace) = program(&folder);
        for setting in SETTINGS {
            git(&folder, &["config", setting, &evil]);
        }
        git(&folder, &["config", "remote.origin.url", "ext::sh -c evil"]);
        let run = lint(&folder);
        assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap());
        match attributes.contains("filter") {
            true => assert!(run.code == 2 && run.stderr.contains("cannot compare ./a.ptx"), "{}", run.stderr),
            false => assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout),
        }
        assert!(!run.stdout.contains("unknown-target"), "line 2 has not changed: {}", run.stdout);
    }
}

#[test]
fn no_hook_of_a_repository_starts() {
    let folder = repository("hooks", "");
    let (evil, trace) = program(&folder);
    fs::create_dir_all(folder.join(".git/hooks")).unwrap();
    let hooks = ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"];
    for hook in hooks {
        fs::copy(&evil, folder.join(".git/hooks").join(hook)).unwrap();
    }
    fs::write(folder.join("a.ptx"), MODULE).unwrap();
    let index = fs::read(folder.join(".git/index")).unwrap();
    assert_eq!(lint(&folder).code, 0);
    assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap());
    assert_eq!(fs::read(folder.join(".git/index")).unwrap(), index, "the index is not written");
}

#[test]
fn what_a_submodule_names_does_not_start_either() {
    let folder = repository("submodules", "");
    let inner = folder.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "-q"]);
    fs::write(inner.join("b.ptx"), MODULE).unwrap();
    fs::write(inner.join(".gitattributes"), "* filter=evil\n").unwrap();
    git(&inner, &["add", "-A"]);
    git(&inner, &["commit", "-q", "-m", "inner"]);
    git(&folder, &["add", "inner"]);
    git(&folder, &["commit", "-q", "-m", "second"]);
    let (evil, trace) = program(&folder);
    for setting in SETTINGS {
        git(&inner, &["config", setting, &evil]);
    }
    fs::write(inner.join("b.ptx"), format!("{MODULE}\n")).unwrap();
    lint(&folder);
    assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap());
}

#[test]
fn a_missing_object_is_not_fetched() {
    let folder = repository("missing-object", "");
    let (evil, trace) = program(&folder);
    let id = Command::new("git").args(["rev-parse", "HEAD:a.ptx"]).current_dir(&folder).output().unwrap();
    let id = String::from_utf8(id.stdout).unwrap();
    let (head, rest) = id.trim().split_at(2);
    fs::remove_file(folder.join(".git/objects").join(head).join(rest)).unwrap();
    for (key, value) in [
        ("remote.origin.url", folder.display().to_string()),
        ("remote.origin.promisor", "true".to_owned()),
        ("remote.origin.partialclonefilter", "blob:none".to_owned()),
        ("remote.origin.uploadpack", evil),
        ("extensions.partialClone", "origin".to_owned()),
        ("core.repositoryformatversion", "1".to_owned()),
    ] {
        git(&folder, &["config", key, &value]);
    }
    let run = lint(&folder);
    assert!(!trace.exists(), "{}", fs::read_to_string(&trace).unwrap());
    assert!(run.code == 2 && run.stderr.contains("cannot compare ./a.ptx"), "{}", run.stderr);
}

#[test]
fn files_with_a_filter_or_an_encoding_are_not_compared_unless_they_are_unchanged() {
    for attributes in ["*.ptx filter=strip\n", "*.ptx working-tree-encoding=UTF-16\n"] {
        let folder = scratch("filtered");
        git(&folder, &["init", "-q", "-b", "main"]);
        for name in ["a.ptx", "b.ptx"] {
            fs::write(folder.join(name), MODULE).unwrap();
        }
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "-q", "-m", "first"]);
        fs::write(folder.join(".gitattributes"), attributes).unwrap();
        let same = lint(&folder);
        assert_eq!((same.code, same.stderr.as_str()), (0, ""), "{}", same.stdout);
        fs::write(folder.join("a.ptx"), format!("{MODULE}// changed\n")).unwrap();
        let run = lint(&folder);
        assert_eq!(run.code, 0, "{}", run.stdout);
        let named = "warning: cannot compare ./a.ptx: its attributes name a filter or an encoding, which is not run; its finding is not shown";
        assert!(run.stderr.contains(named) && !run.stdout.contains("a.ptx"), "{}{}", run.stdout, run.stderr);
        let summary = run_in(&folder, &["lint", "--diff", "main", "."], b"").stdout;
        assert!(summary.contains("(1 in files that were not compared)"), "{summary}");
        // Nothing else was asked for.
        let alone = crate::hostile::hostile_files::lint(&folder, &["--diff", "main", "a.ptx"]);
        assert!(alone.code == 2 && alone.stderr.contains("cannot compare a.ptx"), "{}", alone.stderr);
        fs::write(folder.join("a.ptx"), MODULE.replace("sm_7\n", "sm_70\n")).unwrap();
        let clean = lint(&folder);
        assert_eq!((clean.code, clean.stderr.as_str()), (0, ""), "without findings there is nothing to name");
    }
}

/// Git LFS keeps a pointer with the digest of the text.
#[test]
fn a_file_of_git_lfs_is_unchanged_if_its_pointer_says_so() {
    let folder = scratch("lfs");
    git(&folder, &["init", "-q", "-b", "main"]);
    let digest = "c7b2639535861d9538b4cf89603b97543a8074375fd01be27647d90089afd3f3";
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {}\n", MODULE.len());
    fs::write(folder.join("a.ptx"), &pointer).unwrap();
    fs::write(folder.join("b.ptx"), MODULE).unwrap();
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    fs::write(folder.join(".gitattributes"), "a.ptx filter=lfs diff=lfs merge=lfs -text\n").unwrap();
    let not_loaded = lint(&folder);
    assert_eq!((not_loaded.code, not_loaded.stderr.as_str()), (0, ""), "{}", not_loaded.stdout);
    fs::write(folder.join("a.ptx"), MODULE).unwrap();
    let loaded = lint(&folder);
    assert_eq!((loaded.code, loaded.stderr.as_str()), (0, ""), "{}", loaded.stdout);
    fs::write(folder.join("a.ptx"), format!("{MODULE}// changed\n")).unwrap();
    let changed = lint(&folder);
    assert!(changed.code == 0 && changed.stderr.contains("cannot compare ./a.ptx"), "{}", changed.stderr);
}

#[test]
fn line_ends_are_compared_as_git_stores_them() {
    // What git would say: `git diff` of the same work tree.
    let crlf = MODULE.replace('\n', "\r\n");
    for (attributes, autocrlf, before) in [
        ("* text\n", "false", MODULE),
        ("* text=auto\n", "false", MODULE),
        ("* eol=crlf\n", "false", MODULE),
        ("* -text\n", "true", MODULE),
        ("", "true", MODULE),
        ("", "input", MODULE),
        ("", "false", MODULE),
        ("* text=auto\n", "false", &crlf),
        ("", "true", &crlf),
    ] {
        let folder = scratch("line-ends");
        git(&folder, &["init", "-q", "-b", "main"]);
        git(&folder, &["config", "core.autocrlf", "false"]);
        fs::write(folder.join("a.ptx"), before).unwrap();
        git(&folder, &["add", "a.ptx"]);
        git(&folder, &["commit", "-q", "-m", "first"]);
        git(&folder, &["config", "core.autocrlf", autocrlf]);
        fs::write(folder.join(".gitattributes"), attributes).unwrap();
        fs::write(folder.join("a.ptx"), format!("{crlf}// changed\r\n")).unwrap();
        let numbers = Command::new("git").args(["diff", "--numstat"]).current_dir(&folder).output().unwrap();
        let is_whole = !String::from_utf8(numbers.stdout).unwrap().starts_with("1\t0");
        let found = lint(&folder).stdout.contains("a.ptx:2: error[unknown-target]");
        assert_eq!(found, is_whole, "{attributes:?} {autocrlf} {before:?}");
    }
}

#[test]
fn attribute_files_that_are_no_small_regular_files_are_refused_by_name() {
    for (number, file) in [".gitattributes", ".git/info/attributes", "inner/.gitattributes"].into_iter().enumerate() {
        let folder = scratch("attribute-files");
        git(&folder, &["init", "-q", "-b", "main"]);
        fs::create_dir(folder.join("inner")).unwrap();
        fs::create_dir_all(folder.join(".git/info")).unwrap();
        for name in ["a.ptx", "inner/b.ptx"] {
            fs::write(folder.join(name), MODULE).unwrap();
        }
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "-q", "-m", "first"]);
        fs::write(folder.join("inner/b.ptx"), format!("{MODULE}// changed\n")).unwrap();
        match number {
            0 => symlink("/dev/zero", folder.join(file)).unwrap(),
            1 => fs::write(folder.join(file), "*.x text\n".repeat(200_000)).unwrap(),
            _ => assert!(Command::new("mkfifo").arg(folder.join(file)).status().unwrap().success()),
        }
        let run = lint(&folder);
        assert!(run.code == 0 && run.stderr.contains(file), "{file}: {}", run.stderr);
        assert!(run.stderr.contains("warning: cannot compare ./inner/b.ptx"), "{file}: {}", run.stderr);
    }
}

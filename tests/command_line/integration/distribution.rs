//! How the program is published: the account in all addresses.

use crate::scratch;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, folder: &Path, arguments: &[&str]) -> Output {
    let program = if program.starts_with('.') { folder.join(program) } else { program.into() };
    Command::new(&program).current_dir(folder).args(arguments).output().expect("it runs")
}

fn output_text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn one_account_stands_in_all_addresses_and_one_command_sets_it() {
    let root = support::root();
    let now = run(".ci/owner", &root, &[]);
    assert!(now.status.success(), "all files agree: {}", output_text(&now));
    let account = output_text(&now).trim().to_owned();

    // A copy of the files that name it.
    let folder = scratch("owner");
    let files = run("git", &root, &["grep", "-lE", &format!("\\b{account}\\b")]);
    let files = String::from_utf8(files.stdout).expect("paths");
    let files: Vec<_> = files.lines().chain([".ci/owner"]).collect();
    for file in &files {
        let to = folder.join(file);
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::copy(root.join(file), to).expect("copied");
    }
    assert!(run("git", &folder, &["init", "-q"]).status.success());
    assert!(run("git", &folder, &["add", "-A", "-f"]).status.success());

    let set = run(".ci/owner", &folder, &["some-one"]);
    assert_eq!(output_text(&set), "some-one\n");
    let left = run("git", &folder, &["grep", "-nE", &format!("\\b{account}/ptx-atomics|@{account}\\b")]);
    assert_eq!(output_text(&left), "", "no address with the former account");
    for (file, part) in [
        (".ci/mirror", "gitlab.com/some-one/ptx-atomics-pre-commit/lint"),
        ("docs/guides/ci.md", "uses: some-one/ptx-atomics/"),
        ("editors/registries/nvim-treesitter/parsers.lua", "'@some-one'"),
        ("server/cli/Cargo.toml", "https://github.com/some-one/ptx-atomics/releases"),
    ] {
        assert!(fs::read_to_string(folder.join(file)).expect(file).contains(part), "{file}");
    }

    // A file that was forgotten is named.
    let emacs = folder.join("editors/emacs/ptx-mode.el");
    let text = fs::read_to_string(&emacs).expect("the mode").replace("some-one/", "other/");
    fs::write(&emacs, text).expect("written");
    let differs = run(".ci/owner", &folder, &[]);
    assert!(!differs.status.success() && output_text(&differs).contains("ptx-mode.el"), "{}", output_text(&differs));
    assert!(!run(".ci/owner", &folder, &["no/account"]).status.success());
    assert_eq!(output_text(&run(".ci/owner", &folder, &["other"])), "other\n");
}

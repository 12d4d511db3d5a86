//! The README: blocks after `<!-- output: ARGUMENTS -->` show what the command prints, its commands run, and the links of all documents exist.
//!
//! With `PTX_ATOMICS_UPDATE=1` the outputs are written instead.

use crate::run;
use std::fs;

#[test]
fn the_readme_shows_what_the_commands_print() {
    shows_what_the_commands_print("README.md");
}

#[test]
fn the_tutorial_shows_what_the_commands_print() {
    shows_what_the_commands_print("editors/web/pages/memory_model.md");
}

fn shows_what_the_commands_print(path: &str) {
    let path = support::root().join(path);
    let readme = fs::read_to_string(&path).expect("a document");
    let mut parts = readme.split("<!-- output: ");
    let mut updated = parts.next().unwrap_or_default().to_owned();
    let mut shown = 0;
    for part in parts {
        let (arguments, rest) = part.split_once(" -->\n```text\n").expect("a text block follows the comment");
        let (_, after) = rest.split_once("```\n").expect("the block ends");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let printed = run(&arguments).stdout;
        assert!(!printed.is_empty(), "{arguments:?} prints nothing");
        updated += &format!("<!-- output: {} -->\n```text\n{printed}```\n{after}", arguments.join(" "));
        shown += 1;
    }
    assert!(shown >= 3, "{} shows {shown} outputs", path.display());
    support::check_or_update(&path, &updated);
}

/// Commands that this test does not run, each with the place that does.
const RUN_ELSEWHERE: [(&str, &str); 7] = [
    ("npm --prefix editors/vscode ci", "tests/editors/vscode/install"),
    ("npm --prefix editors/vscode run package", ".ci/release, by tests/editors/release.rs"),
    ("code --install-extension editors/vscode/ptx-atomics-*.vsix", "tests/editors/vscode/harness.mjs"),
    ("ptx-atomics lsp", "every session of tests/protocol"),
    ("ptx-atomics dap", "every session of tests/debugger"),
    ("cargo install --profile dist --features dist --path server/cli", "`the_command_can_be_installed`, below"),
    ("nvim kernel.ptx", "`every_command_of_the_readme_runs`, below, without a screen"),
];

/// The lines of the blocks of a kind, without comments after them.
fn lines<'a>(readme: &'a str, fence: &str) -> impl Iterator<Item = &'a str> {
    let fence = format!("```{fence}\n");
    let blocks: Vec<&str> = readme.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    blocks.into_iter().flat_map(str::lines).map(|line| line.split("  # ").next().unwrap_or_default().trim_end())
}

/// Commands within sentences that have no placeholder.
fn mentioned(readme: &str) -> impl Iterator<Item = &str> {
    let spans = readme.split('`').filter(|span| span.starts_with("ptx-atomics ") && !span.contains('\n'));
    let is_placeholder = |word: &str| {
        word.starts_with(['[', '…']) || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '…')
    };
    spans.filter(move |span| !span.split(' ').any(is_placeholder))
}

/// The output of a command in bash, in a folder that is also its home, with the binary in `PATH`.
fn bash(folder: &std::path::Path, command: &str) -> std::process::Output {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", command]).current_dir(folder).env("HOME", folder).env("PATH", path).env_remove("XDG_CONFIG_HOME");
    bash.env("PWD", folder).output().expect("bash runs")
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = fs::read_to_string(support::root().join("README.md")).expect("a README");
    let folder = crate::scratch("readme");
    for name in ["bin", "kernels", ".triton/cache"] {
        fs::create_dir_all(folder.join(name)).expect("made");
    }
    for (name, target) in [
        ("bin/ptx-atomics", support::binary()),
        ("tests", support::root().join("tests")),
        ("editors", support::root().join("editors")),
    ] {
        std::os::unix::fs::symlink(target, folder.join(name)).expect("linked");
    }
    let fixture = support::root().join("tests/fixtures/realistic/ordered_on_pascal.ptx");
    for name in ["kernels/old.ptx", "kernel.ptx", ".triton/cache/kernel.ptx", "a.out"] {
        fs::copy(&fixture, folder.join(name)).expect("copied");
    }
    let mut ran = 0;
    for command in lines(&readme, "sh").chain(mentioned(&readme)) {
        if RUN_ELSEWHERE.iter().any(|(known, _)| *known == command) {
            continue;
        }
        let known = ["ptx-atomics ", "mkdir -p ~/"].iter().any(|start| command.starts_with(start));
        assert!(known, "no test runs `{command}` of the README: add one, and name it in RUN_ELSEWHERE");
        let output = bash(&folder, command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        // The fixture has errors, so 1 is fine; 2 is a command that does not exist.
        assert!(matches!(output.status.code(), Some(0 | 1)), "`{command}`: {stderr}");
        ran += 1;
    }
    assert!(ran >= 8, "{ran} commands were found");
    for block in readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for step in block.split("$ ").filter(|step| !step.is_empty()) {
            let (command, shown) = step.split_once('\n').expect("a command and what it prints");
            assert_eq!(String::from_utf8_lossy(&bash(&folder, command).stdout), shown, "{command}");
        }
    }
    // The settings that the lines on Neovim wrote work.
    let nvim = bash(&folder, "nvim --headless kernel.ptx -c 'echo &filetype exists(\":PtxAtomics\")' -c 'qall!' 2>&1");
    assert!(String::from_utf8_lossy(&nvim.stdout).contains("ptx 2"), "{}", String::from_utf8_lossy(&nvim.stdout));
}

/// It builds everything once more, so it waits for `--full`.
#[test]
fn the_command_can_be_installed() {
    let manifest = fs::read_to_string(support::root().join("server/cli/Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("name = \"ptx-atomics\""));
    if support::full() {
        let folder = crate::scratch("install");
        let mut cargo = std::process::Command::new("cargo");
        cargo
            .args(["install", "--quiet", "--profile", "dist", "--features", "dist", "--path", "server/cli", "--root"])
            .arg(&folder);
        assert!(cargo.current_dir(support::root()).status().expect("cargo runs").success());
        assert!(folder.join("bin/ptx-atomics").is_file());
    }
}

#[test]
fn every_link_and_picture_of_the_documents_is_there() {
    let mut seen = 0;
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "tests/README.md",
        "tests/benchmarks/README.md",
        "tests/fuzz/README.md",
        "server/ARCHITECTURE.md",
        "server/lints/INCREMENTAL.md",
        "editors/README.md",
        "editors/vscode/README.md",
        "grammar/ptx/README.md",
        "grammar/README.md",
        "server/python/README.md",
        "editors/registries/README.md",
    ] {
        let path = support::root().join(document);
        let text = fs::read_to_string(&path).expect(document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.is_empty() && !link.contains("://") {
                assert!(path.parent().expect("a folder").join(link).exists(), "{document}: {link} is not there");
                seen += 1;
            }
        }
    }
    assert!(seen >= 5, "{seen} links");
}

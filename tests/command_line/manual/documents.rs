//! README and the pages below `docs/`: blocks of `console` show what their commands print, commands within sentences run, links and their headings
//! exist, and the table of contents leads to every page.
//!
//! With `PTX_ATOMICS_UPDATE=1` the outputs and the reference of commands are written instead.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// README takes no longer to read than ruff's at its longest: its size in bytes.
const LONGEST_README: usize = 10 * 1024;

/// Pages whose commands have tests of their own: what a session of the debugger shows, and what commands print one after another.
const RUN_AS_A_WHOLE: [(&str, &str); 3] = [
    ("docs/tutorials/from-cuda.md", "tests/debugger/from_cuda.rs"),
    ("docs/tutorials/lost-update.md", "tests/debugger/tutorial.rs"),
    ("docs/tutorials/what-can-go-wrong.md", "tests/command_line/manual/what_can_go_wrong.rs"),
];

/// Commands that this test does not run, each with the place that does.
const RUN_ELSEWHERE: [(&str, &str); 20] = [
    ("npm --prefix editors/vscode ci", "tests/editors/vscode/install"),
    ("npm --prefix editors/vscode run package", ".ci/release, by tests/editors/release.rs"),
    ("npm --prefix editors/vscode ci && npm --prefix editors/vscode run package", "as the two above"),
    ("code --install-extension editors/vscode/ptx-atomics-*.vsix", "tests/editors/vscode/harness.mjs"),
    ("ptx-atomics lsp", "every session of tests/protocol"),
    ("ptx-atomics dap", "every session of tests/debugger"),
    ("cargo install --profile dist --features dist --path server/cli", "`the_command_can_be_installed`, below"),
    (
        "ptx-atomics completions bash",
        "`shells_and_man_get_what_they_want` in outputs.rs: a build with the feature `dist` prints them",
    ),
    ("ptx-atomics completions bash > ~/.local/share/bash-completion/completions/ptx-atomics", "the same"),
    ("ptx-atomics completions man", "the same"),
    ("ptx-atomics completions markdown", "`the_reference_of_commands_is_what_the_program_says`, below"),
    ("tests/run", "what runs this test"),
    ("tests/run --full", "the same"),
    (".ci/wheel", ".ci/release, by tests/editors/release.rs"),
    (".ci/wheel aarch64", "by hand"),
    (".ci/release", "tests/editors/release.rs"),
    ("pip install --no-index --find-links target/wheels ptx-atomics", "tests/benchmarks/installing"),
    ("editors/web/build", "tests/editors/web.rs"),
    ("python3 -m http.server --directory target/site", "tests/editors/web/visit.mjs, by a server of its own"),
    ("nvim kernel.ptx", "`every_command_of_the_documents_runs`, without a screen"),
];

/// How the commands begin that the documents name within sentences and tables.
const COMMANDS: [&str; 9] =
    ["ptx-atomics ", "cargo ", "npm ", "pip ", "code --", ".ci/", "tests/run", "editors/web/build", "mkdir -p ~/"];

/// README and the pages below `docs/`, by their paths.
fn documents() -> Vec<(String, String)> {
    let mut paths = vec![support::root().join("README.md")];
    let mut folders = vec![support::root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(support::root()).expect("below the root").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).expect("UTF-8"))
    };
    paths.into_iter().map(read).collect()
}

/// The documents whose commands run one by one.
fn documents_of_commands() -> Vec<(String, String)> {
    let is_whole = |name: &str| RUN_AS_A_WHOLE.iter().any(|(whole, _)| *whole == name);
    documents().into_iter().filter(|(name, _)| !is_whole(name)).collect()
}

#[test]
fn documents_show_what_the_commands_print() {
    let folder = working_directory("outputs");
    let mut shown = 0;
    for (name, text) in documents_of_commands() {
        let mut parts = text.split("```console\n");
        let mut updated = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (block, after) = part.split_once("```\n").expect("the block ends");
            updated += "```console\n";
            for step in block.split("$ ").filter(|step| !step.is_empty()) {
                let command = step.lines().next().unwrap_or_default();
                let printed = String::from_utf8_lossy(&bash(&folder, command).stdout).into_owned();
                assert!(!printed.is_empty(), "{name}: {command} prints nothing");
                updated += &format!("$ {command}\n{printed}");
                shown += 1;
            }
            updated += &format!("```\n{after}");
        }
        // Other tests read these pages at the same time.
        if updated != text {
            support::check_or_update(&support::root().join(name), &updated);
        }
    }
    assert!(shown >= 15, "{shown} outputs");
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn the_reference_of_commands_is_what_the_program_says() {
    let page = "# Commands\n\nWritten by the program: `ptx-atomics completions markdown`. `ptx-atomics COMMAND --help` prints the same in a terminal.\n\n";
    let path = support::root().join("docs/reference/commands.md");
    let commands = completions::text(completions::CompletionFormat::Markdown, command_line::command()).expect("memory");
    let commands = String::from_utf8(commands).expect("UTF-8");
    support::check_or_update(&path, &format!("{page}{}\n", commands.trim_end()));
}

#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(support::root().join("README.md")).expect("a README");
    assert!(readme.len() <= LONGEST_README, "README has {} bytes, at most {LONGEST_README}", readme.len());
    let first_screen = readme.split("\n## ").nth(1).expect("a section");
    assert!(first_screen.contains("cargo run --release -- lint ") && first_screen.contains("\ntests/run\n"));
}

#[test]
fn the_table_of_contents_leads_to_every_page_once() {
    let contents = fs::read_to_string(support::root().join("docs/README.md")).expect("a table of contents");
    for (name, _) in documents() {
        let Some(path) = name.strip_prefix("docs/").filter(|path| *path != "README.md") else { continue };
        assert_eq!(contents.matches(&format!("]({path})")).count(), 1, "{path} in docs/README.md");
    }
}

/// The most words of a sentence, or of a part of one that ends with a colon or semicolon.
const LONGEST_SENTENCE: usize = 35;

/// The paragraphs, items and cells of a page, without code, the addresses of links and what is in parentheses.
fn prose(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.split("```").step_by(2).flat_map(|text| text.lines().chain([""])).map(str::trim) {
        let is_row = line.starts_with('|');
        let begins = line.is_empty() || is_row || line.starts_with(['-', '#']) || line.starts_with(char::is_numeric);
        for cell in line.split('|') {
            if begins {
                parts.push(String::new());
            }
            let part = parts.last_mut().expect("there is one");
            *part += cell;
            *part += " ";
        }
    }
    let outside = |part: String| {
        let mut depth = 0_usize;
        let mut kept = String::new();
        for c in part.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ if depth == 0 => kept.push(c),
                _ => {}
            }
        }
        kept
    };
    let words =
        |part: String| part.split('`').enumerate().map(|(at, text)| if at % 2 == 0 { text } else { "X" }).collect();
    parts.into_iter().map(words).map(outside).collect()
}

#[test]
fn no_sentence_of_the_documents_is_long() {
    let mut sentences = 0;
    for (name, text) in documents().iter().filter(|(name, _)| !name.ends_with("reference/commands.md")) {
        for part in prose(text) {
            let ended = [". ", ": ", "; ", "? "].iter().fold(part, |part, end| part.replace(end, "\n"));
            for sentence in ended.lines() {
                let words = sentence.split_whitespace().count();
                assert!(words <= LONGEST_SENTENCE, "{name}: {words} words: {sentence}");
                sentences += 1;
            }
        }
    }
    assert!(sentences > 1000, "{sentences}");
}

/// The lines of the blocks of a kind, without comments after them.
fn lines<'a>(text: &'a str, fence: &str) -> impl Iterator<Item = &'a str> {
    let fence = format!("```{fence}\n");
    let blocks: Vec<&str> = text.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    blocks.into_iter().flat_map(str::lines).map(|line| line.split("  # ").next().unwrap_or_default().trim_end())
}

/// Commands within sentences and tables that have no placeholder.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    let spans = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let is_placeholder = |word: &str| {
        word.starts_with(['[', '…']) || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '…')
    };
    let is_file = |span: &str| span.ends_with(".yml") || span.starts_with("tests/run ") && !span.contains("--");
    let is_command = move |span: &&str| COMMANDS.iter().any(|start| span.starts_with(start)) && !is_file(span);
    spans.filter(is_command).filter(move |span| !span.split(' ').any(is_placeholder))
}

/// The output of a command in bash, in a folder that is also its home, with the binary in `PATH`.
fn bash(folder: &Path, command: &str) -> std::process::Output {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", command]).current_dir(folder).env("HOME", folder).env("PATH", path).env_remove("XDG_CONFIG_HOME");
    bash.env("PWD", folder).output().expect("bash runs")
}

/// A folder as the documents suppose it: modules with a mistake, a repository with a commit on the server, and this repository's files.
fn working_directory(name: &str) -> PathBuf {
    let folder = crate::scratch(name);
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
    let commit = "git init -q && git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q -m t --allow-empty && git update-ref refs/remotes/origin/main HEAD";
    let made = bash(&folder, commit);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}

#[test]
fn every_command_of_the_documents_runs() {
    let folder = working_directory("documents");
    let mut ran = BTreeSet::new();
    let documents = documents_of_commands();
    for (name, text) in &documents {
        for command in lines(text, "sh").chain(mentioned(text)) {
            if RUN_ELSEWHERE.iter().any(|(known, _)| *known == command) || !ran.insert(command) {
                continue;
            }
            // The program under test, where a reader builds it; the name of a command alone.
            let is_name = command.split(' ').count() == 2 && command.starts_with("ptx-atomics ");
            let command = command.replace("cargo run --release -- ", "ptx-atomics ");
            let command = if is_name { format!("{command} --help") } else { command };
            let known = ["ptx-atomics ", "mkdir -p ~/"].iter().any(|start| command.starts_with(start));
            assert!(known, "{name}: no test runs `{command}`: add one, and name it in RUN_ELSEWHERE");
            let output = bash(&folder, &command);
            let stderr = String::from_utf8_lossy(&output.stderr);
            // The fixture has errors, so 1 is fine; 2 is a command that does not exist.
            assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: `{command}`: {stderr}");
        }
    }
    assert!(ran.len() >= 20, "{} commands were found", ran.len());
    // The settings that the lines on Neovim wrote work.
    let nvim = bash(&folder, "nvim --headless kernel.ptx -c 'echo &filetype exists(\":PtxAtomics\")' -c 'qall!' 2>&1");
    assert!(String::from_utf8_lossy(&nvim.stdout).contains("ptx 2"), "{}", String::from_utf8_lossy(&nvim.stdout));
    let _ = fs::remove_dir_all(folder);
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

/// The anchors of a page's headings, as GitHub and the site name them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.split("```").step_by(2).flat_map(str::lines).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_of_the_documents_leads_to_a_file_and_a_heading() {
    let others = [
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
        "editors/web/README.md",
        "grammar/ptx/README.md",
        "grammar/README.md",
        "server/python/README.md",
        "editors/registries/README.md",
    ];
    let others = others.map(|name| (name.to_owned(), fs::read_to_string(support::root().join(name)).expect(name)));
    let mut seen = 0;
    for (name, text) in documents().into_iter().chain(others) {
        let path = support::root().join(&name);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.is_empty() {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            assert!(file.exists(), "{name}: {link} is not there");
            if !heading.is_empty() && file.extension().is_some_and(|ending| ending == "md") {
                let known = anchors(&fs::read_to_string(&file).expect("UTF-8"));
                assert!(known.contains(heading), "{name}: {link} has no such heading");
            }
            seen += 1;
        }
    }
    assert!(seen >= 150, "{seen} links");
}

#[test]
fn each_argument_of_the_search_has_a_test_and_each_place_is_a_file() {
    let page = fs::read_to_string(support::root().join("docs/explanation/verification.md")).expect("a page");
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit());
    let named: Vec<&str> = rows.map(|row| row.rsplit('`').nth(1).expect("the name of a test")).collect();
    assert!(named.len() > 8, "{} arguments", named.len());
    let folder = support::root().join("tests/conformance/verification");
    let tests: String = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .filter_map(|one| fs::read_to_string(one.path()).ok())
        .collect();
    let missing: Vec<_> = named.iter().filter(|name| !tests.contains(&format!("#[test]\nfn {name}()"))).collect();
    assert!(missing.is_empty(), "no such tests: {missing:?}");
    let places = page.split('`').skip(1).step_by(2).filter(|place| place.ends_with(".rs"));
    let server = support::root().join("server");
    let lost: Vec<_> = places.filter(|place| !server.join(place).is_file()).collect();
    assert!(lost.is_empty(), "no such files: {lost:?}");
}

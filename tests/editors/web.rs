//! The engine in a page: built as WebAssembly, compared with the program, and used in headless Chromium.

use crate::vscode::node;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The exit code of `editors/web/build --available` where the compiler cannot be had.
const UNAVAILABLE: i32 = 3;

fn build() -> Command {
    let mut command = Command::new(support::root().join("editors/web/build"));
    command.current_dir(support::root()).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command.env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    command
}

/// The built page; `None`, with the reason printed, where Debian's `rustc-web` is out of reach.
fn site() -> Option<PathBuf> {
    let available = build().arg("--available").output().expect("the script can be started");
    if available.status.code() == Some(UNAVAILABLE) {
        eprintln!("SKIPPED: the page was not tested. {}", String::from_utf8_lossy(&available.stderr));
        return None;
    }
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    let output = build().arg(&site).output().expect("the script can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(site)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of fixtures").flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, found);
        } else if ["ptx", "cu", "py", "litmus", "sass"].contains(&ending) {
            found.push(path.strip_prefix(support::root()).expect("below the root").to_owned());
        }
    }
}

#[test]
fn the_documentation_has_a_page_for_each_topic_and_no_dead_link() {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation");
    let _ = std::fs::remove_dir_all(&site);
    let made = node(".").args(["editors/web/build", "--pages"]).arg(&site).output().expect("the script can be started");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for rule in diagnostics::registry::RULES {
        let page = site.join("docs").join(rule.code).with_extension("html");
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(text.contains(&format!("<h1 id=\"{0}\">{0}</h1>", rule.code)), "{}", page.display());
    }
    let instruction = std::fs::read_to_string(site.join("docs/atom.html")).expect("a page of atom");
    assert!(instruction.contains("id=\"forms\"") && instruction.contains("<title>atom"), "{instruction}");
    pass(node(".").args(["node", "tests/editors/web/links.mjs"]).arg(&site), " 0 problems");
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documentation-pictures");
    let mut visit = node("tests/editors/web");
    visit.args(["node", "documentation.mjs", "--site"]).arg(&site).arg("--pictures").arg(&pictures);
    pass(&mut visit, "documentation done");
}

#[test]
fn the_page_answers_as_the_program_does_and_a_newcomer_finds_a_race_and_a_proof() {
    // Building the module takes minutes of each processor.
    if !support::full() {
        return;
    }
    let Some(site) = site() else { return };
    let mut fixtures = Vec::new();
    files(&support::root().join("tests/fixtures"), &mut fixtures);
    fixtures.sort();
    assert!(fixtures.len() > 100, "{} fixtures", fixtures.len());
    // Node crashes with dozens of instances of the module in one process. Optimizing the module takes it fifty times as long as the answers.
    for some in fixtures.chunks(5) {
        let mut compare = node(".");
        compare
            .args(["node", "--no-warnings", "--liftoff-only", "tests/editors/web/compare.mjs"])
            .arg(support::binary());
        pass(compare.arg(site.join("ptx-atomics.wasm")).args(some), "files, 0 different");
    }

    // Pointers of 32 bits overflow where those of the program do not.
    let mut random = node(".");
    random.args([
        "node",
        "--no-warnings",
        "--liftoff-only",
        "tests/editors/web/fuzz.mjs",
        "--seconds",
        "60",
        "--module",
    ]);
    random.arg(site.join("ptx-atomics.wasm")).arg("--program").arg(support::binary());
    pass(&mut random, " texts, 0 different");

    works_in_vs_code_for_the_web(&site);

    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
    let mut visit = node("tests/editors/web");
    visit.args(["node", "run.mjs", "--site"]).arg(&site).arg("--pictures").arg(&pictures);
    pass(&mut visit, "web done");
}

/// Packages the extension for browsers with the module, asks its workers as VS Code's client does, and uses it in an extension host.
fn works_in_vs_code_for_the_web(site: &Path) {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ptx-atomics-web.vsix");
    let mut pack = node(".");
    pack.args(["node", "editors/vscode/scripts/package.mjs", "--target", "web", "--server"]);
    pass(pack.arg(site.join("ptx-atomics.wasm")).arg("--out").arg(&package), "ptx-atomics-web.vsix");
    pass(node(".").args(["node", "tests/editors/web/session.mjs", "--package"]).arg(&package), "session done");
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
    let mut host = node(".");
    host.args(["node", "tests/editors/web/extension_host.mjs", "--package"])
        .arg(&package)
        .arg("--pictures")
        .arg(&pictures);
    pass(&mut host, "host done");
}

/// A script that ends with `last`, or says why it could not be run.
fn pass(command: &mut Command, last: &str) {
    let output = command.output().expect("tests/install installs Node");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && said.starts_with("SKIPPED") {
        eprint!("{said}");
        return;
    }
    assert!(output.status.success() && said.contains(last), "{said}{errors}");
}

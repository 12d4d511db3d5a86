//! Continuous integration: runs the hook by pre-commit, and the commands of the GitHub action and the GitLab template.

use crate::scratch;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const WRONG: &str = ".version 8.0\n.target sm_90\n.visible .entry k() {\n.reg .b64 a; .reg .b32 r;\nred.global.or.u32 [a], r;\nret;\n}\n";

/// A command in a folder with the binary under test in the path.
fn command(program: &Path, folder: &Path) -> Command {
    let bin = support::binary();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command.current_dir(folder).env("PATH", format!("{}:{path}", bin.parent().expect("a folder").display()));
    command
}

fn shell(folder: &Path, script: &str, variables: &[(&str, &str)]) -> Output {
    command(Path::new("bash"), folder)
        .args(["-e", "-o", "pipefail", "-c", script])
        .envs(variables.iter().copied())
        .output()
        .expect("bash runs")
}

fn output_text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The script of the step with a name.
fn step(action: &str, name: &str) -> String {
    let step =
        action.split("    - name: ").find(|step| step.starts_with(&format!("{name}\n"))).expect("a step of this name");
    let script = step.split("      run: |\n").nth(1).expect("a script");
    script
        .lines()
        .take_while(|line| line.starts_with("        "))
        .map(|line| format!("{}\n", line.trim_start()))
        .collect()
}

#[test]
fn the_action_of_github_annotates_and_writes_sarif() {
    let action = fs::read_to_string(support::root().join(".github/actions/lint/action.yml")).expect("the action");
    let folder = scratch("action");
    fs::write(folder.join("a.ptx"), WRONG).expect("written");
    let found = shell(&folder, &step(&action, "Install"), &[("PACKAGE", "nowhere")]);
    assert!(found.status.success(), "what is installed is used: {}", output_text(&found));
    let inputs = [("PATHS", ". a.ptx"), ("ARGUMENTS", "--target sm_90 --quiet"), ("SARIF", "out.sarif")];
    let run = shell(&folder, &step(&action, "Lint"), &inputs);
    assert_eq!(run.status.code(), Some(1), "{}", output_text(&run));
    assert!(output_text(&run).contains("::error file=a.ptx,line=5"), "{}", output_text(&run));
    assert!(fs::read_to_string(folder.join("out.sarif")).expect("written").contains("illegal-type"));
}

#[test]
fn the_template_of_gitlab_writes_its_reports() {
    let template = fs::read_to_string(support::root().join(".ci/gitlab.yml")).expect("the template");
    let lines = |key: &str| {
        let part = template.split(&format!("  {key}:\n")).nth(1).expect("a list");
        let items = part.lines().map_while(|line| line.strip_prefix("    - "));
        items.map(|line| format!("{line}\n")).collect::<String>()
    };
    let folder = scratch("template");
    fs::write(folder.join("a.ptx"), WRONG).expect("written");
    let variables = [("PTX_ATOMICS", "nowhere"), ("PTX_ATOMICS_PATHS", "."), ("PTX_ATOMICS_ARGUMENTS", "")];
    let run = shell(&folder, &(lines("before_script") + &lines("script")), &variables);
    assert_eq!(run.status.code(), Some(1), "{}", output_text(&run));
    for (report, part) in [("codequality: ", "\"check_name\": \"illegal-type\""), ("junit: ", "<testsuites")] {
        let name = template.split(report).nth(1).and_then(|rest| rest.lines().next()).expect("a report");
        assert!(fs::read_to_string(folder.join(name)).expect(name).contains(part), "{name}");
    }
}

#[test]
fn the_mirror_pins_the_wheel_of_this_version() {
    let folder = scratch("mirror");
    let made = Command::new(support::root().join(".ci/mirror")).arg(&folder).output().expect("bash runs");
    assert!(made.status.success(), "{}", output_text(&made));
    let pin = format!("ptx-atomics=={}", env!("CARGO_PKG_VERSION"));
    for file in ["pyproject.toml", "templates/lint.yml"] {
        let text = fs::read_to_string(folder.join(file)).expect(file);
        assert!(text.contains(&pin), "{file}: {text}");
    }
    let program = support::root().join("tests/.tools/venv/bin/pre-commit");
    let valid = command(&program, &folder).args(["validate-manifest", ".pre-commit-hooks.yaml"]).output();
    let valid = valid.expect("pre-commit runs");
    assert!(valid.status.success(), "{}", output_text(&valid));
    // The commands of its hooks are commands of the program.
    fs::write(folder.join("a.ptx"), WRONG).expect("written");
    let hooks = fs::read_to_string(folder.join(".pre-commit-hooks.yaml")).expect("written");
    let entries: Vec<_> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        let run = shell(&folder, &format!("{entry} a.ptx"), &[]);
        assert!(run.status.code().is_some_and(|code| code < 2), "{entry}: {}", output_text(&run));
    }
}

#[test]
fn the_component_of_gitlab_declares_and_documents_its_inputs() {
    let folder = scratch("component");
    let made = Command::new(support::root().join(".ci/mirror")).arg(&folder).output().expect("bash runs");
    assert!(made.status.success(), "{}", output_text(&made));
    let python = support::root().join("tests/.tools/venv/bin/python");
    let script = "import json, sys, yaml; print(json.dumps([list(yaml.safe_load_all(open(f))) for f in sys.argv[1:]]))";
    let parsed = command(&python, &folder).args(["-c", script, "templates/lint.yml", ".gitlab-ci.yml"]).output();
    let parsed = parsed.expect("Python runs");
    assert!(parsed.status.success(), "{}", output_text(&parsed));
    let parsed: Value = serde_json::from_slice(&parsed.stdout).expect("JSON");

    let [specification, jobs] = &parsed[0].as_array().expect("documents")[..] else {
        panic!("two documents: {parsed}")
    };
    let inputs = specification["spec"]["inputs"].as_object().expect("inputs");
    assert_eq!(inputs["package"]["default"], format!("ptx-atomics=={}", env!("CARGO_PKG_VERSION")));
    let readme = fs::read_to_string(folder.join("README.md")).expect("a page");
    let jobs = jobs.to_string();
    for (name, input) in inputs {
        assert!(jobs.contains(&format!("$[[ inputs.{name} ]]")), "{name} is used");
        let [description, default] = ["description", "default"].map(|key| input[key].as_str().expect("text"));
        let default = if default.is_empty() { "''" } else { default };
        assert!(readme.contains(&format!("| `{name}` | {description} | `{default}` |")), "{name}: {readme}");
    }
    assert_eq!(jobs.matches("$[[").count(), inputs.len(), "{jobs}");
    // The repository of the component checks itself with it, and makes the release that the catalog needs.
    let pipeline = &parsed[1][0];
    let own = pipeline["include"][0]["component"].as_str().expect("a component");
    assert!(own.ends_with("/lint@$CI_COMMIT_SHA") && pipeline["release"]["release"]["tag_name"] == "$CI_COMMIT_TAG");
    assert!(shell(&folder, "ptx-atomics lint example.ptx", &[]).status.success());
}

#[test]
fn pre_commit_runs_the_hooks() {
    let program = support::root().join("tests/.tools/venv/bin/pre-commit");
    assert!(program.is_file(), "tests/install installs pre-commit");
    let folder = scratch("hook");
    // A repository of the hooks alone: what pre-commit clones.
    for path in [".pre-commit-hooks.yaml", ".ci/pre-commit"] {
        let to = folder.join("hooks").join(path);
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::copy(support::root().join(path), to).expect("copied");
    }
    fs::create_dir(folder.join("work")).expect("made");
    let git = "git init -q && git add -A && git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q -m t --allow-empty";
    let made = shell(&folder.join("hooks"), git, &[]);
    assert!(made.status.success(), "{}", output_text(&made));
    let work = folder.join("work");
    fs::write(work.join("a.ptx"), WRONG).expect("written");
    fs::write(work.join("b.txt"), "red.global.or.u32 [a], r;").expect("written");
    let made = shell(&work, git, &[]);
    assert!(made.status.success(), "{}", output_text(&made));
    let hook = |id: &str| {
        let mut command = command(&program, &work);
        command.args(["try-repo", "../hooks", id, "--all-files", "--verbose"]);
        command.env("PRE_COMMIT_HOME", folder.join("cache")).output().expect("pre-commit runs")
    };
    let lint = hook("ptx-atomics");
    assert_eq!(lint.status.code(), Some(1), "{}", output_text(&lint));
    assert!(
        output_text(&lint).contains("illegal-type") && output_text(&lint).contains("a.ptx:5"),
        "{}",
        output_text(&lint)
    );
    let fix = hook("ptx-atomics-fix");
    assert!(output_text(&fix).contains("files were modified by this hook"), "{}", output_text(&fix));
    assert!(hook("ptx-atomics").status.success());
    fs::write(work.join("ptx-atomics.toml"), "exclude = [\"a.ptx\"]\n").expect("written");
    fs::write(work.join("a.ptx"), WRONG).expect("written");
    let excluded = hook("ptx-atomics");
    assert!(excluded.status.success(), "excludes count for named files: {}", output_text(&excluded));
}

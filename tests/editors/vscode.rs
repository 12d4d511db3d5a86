//! VS Code: the extension's own checks, its tests inside the extension host, and its window driven as a person does.

use std::path::Path;
use std::process::Command;

/// A command with the Node that `tests/install` chose, in a folder of the repository.
pub fn node(folder: &str) -> Command {
    let tools = support::root().join("tests/.tools/bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("env");
    command.current_dir(support::root().join(folder)).env("PATH", format!("{}:{path}", tools.display()));
    command
}

fn pass(command: &mut Command, last: &str) {
    let output = command.output().expect("tests/install installs Node");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(last), "{said}{errors}");
}

fn update() -> bool {
    std::env::var_os("PTX_ATOMICS_UPDATE").is_some_and(|value| value == "1")
}

#[test]
fn the_extension_is_well_typed_its_lists_are_true_and_its_grammars_colour_what_they_should() {
    if update() {
        pass(node("editors/vscode").args(["npm", "run", "manifest"]), "manifest");
    }
    pass(node("editors/vscode").args(["npm", "test"]), "test/atomics.ptx run");
}

#[test]
fn the_walkthrough_has_pictures_for_light_and_dark_themes() {
    let extension = support::root().join("editors/vscode");
    let manifest = std::fs::read_to_string(extension.join("package.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    for step in manifest["contributes"]["walkthroughs"][0]["steps"].as_array().expect("a walkthrough has steps") {
        for theme in ["light", "dark", "hc", "hcLight"] {
            let picture = step["media"]["image"][theme].as_str().unwrap_or_default();
            assert!(extension.join(picture).is_file(), "{picture:?} is the picture of {} in {theme}", step["id"]);
        }
    }
}

#[test]
fn vs_code_does_what_a_person_expects() {
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vscode");
    let _ = std::fs::remove_dir_all(&pictures);
    let mut journey = node("tests/editors/vscode");
    journey.args(["node", "run.mjs", "--server"]).arg(support::binary()).arg("--pictures").arg(&pictures);
    pass(&mut journey, "vscode done");

    let readme = support::root().join("editors/vscode/images");
    let scenes = "diagnostic hover hover-step dark completion fix rename evaluation typing menu walkthrough cuda executions check debugger debugger-step run run-form run-memory page restart";
    let steps = ["diagnostic-step", "fix-step", "evaluation-step", "completion-step", "cuda-step"];
    for scene in scenes.split(' ').chain(steps) {
        let picture = pictures.join(scene).with_extension("png");
        assert!(picture.metadata().is_ok_and(|found| found.len() > 3_000), "{} is a picture", picture.display());
        let kept = readme.join(scene).with_extension("png");
        if update() && kept.exists() {
            std::fs::copy(&picture, &kept).expect("the picture can be replaced");
        }
    }
    if update() {
        update_dark_steps(&pictures, &steps);
    }
}

/// Takes the walkthrough's pictures again, in the dark theme.
fn update_dark_steps(pictures: &Path, steps: &[&str]) {
    let dark = pictures.join("dark");
    let scenes: Vec<_> = steps.iter().map(|step| step.trim_end_matches("-step")).collect();
    let mut window = node("tests/editors/vscode");
    window.args(["node", "run.mjs", "--dark", "--layer", "window", "--scenes", &scenes.join(",")]);
    window.arg("--server").arg(support::binary()).arg("--pictures").arg(&dark);
    pass(&mut window, "vscode done");
    for step in steps {
        let kept = support::root().join("editors/vscode/images").join(format!("{step}-dark.png"));
        std::fs::copy(dark.join(step).with_extension("png"), kept).expect("the picture can be replaced");
    }
}

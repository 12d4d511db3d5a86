//! `--show-settings`: the effective settings of each source, as a settings file.

use super::check::{LintJob, settings};
use crate::output::inline;
use diagnostics::config::LEVELS;
use diagnostics::registry::RULES;
use diagnostics::{RuleLevel, Settings};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The settings of every file, and error messages about invalid settings files.
pub fn show(job: &LintJob, files: &[PathBuf]) -> (String, Vec<String>) {
    let (mut text, mut errors) = (String::new(), Vec::new());
    for path in files.iter().map(|path| job.named(path)) {
        let (settings, invalid) = settings(job, path);
        errors.extend(invalid);
        show_one(job, path, &settings, &mut text);
    }
    (text, errors)
}

fn show_one(job: &LintJob, path: &Path, settings: &Settings, text: &mut String) {
    let file = match job.projects.of(path) {
        Ok(config) => config.file.as_ref().map_or("no settings file".to_owned(), |file| file.display().to_string()),
        Err(_) => "the settings file is invalid, so it is ignored".to_owned(),
    };
    let targets: Vec<_> =
        settings.target.iter().chain(&settings.additional_targets).map(|t| format!("\"{t}\"")).collect();
    let _ = writeln!(text, "# {}: {}", inline(&path.display().to_string()), inline(&file));
    match targets.as_slice() {
        [] => text.push_str("# target: the module's own\n"),
        targets => _ = writeln!(text, "targets = [{}]", targets.join(", ")),
    }
    match settings.version {
        None => text.push_str("# ptx-version: the module's own\n"),
        Some(version) => _ = writeln!(text, "ptx-version = \"{version}\""),
    }
    if let Some(toolkit) = &settings.toolkit {
        let _ = writeln!(text, "toolkit = \"{toolkit}\"");
    }
    if !settings.system_memory.is_empty() {
        let names: Vec<_> = settings.system_memory.iter().map(|name| format!("{name:?}")).collect();
        let _ = writeln!(text, "system-memory = [{}]", names.join(", "));
    }
    let _ = writeln!(text, "preset = \"{}\"\n\n[rules]", settings.preset.unwrap_or_default().name());
    for rule in RULES {
        let level = settings.severity(rule).map_or(RuleLevel::Off, RuleLevel::At);
        let word = LEVELS.iter().find(|(_, known)| *known == level).map_or("off", |(word, _)| word);
        let _ = writeln!(text, "{} = \"{word}\"", rule.code);
    }
    text.push('\n');
}

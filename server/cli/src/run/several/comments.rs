//! Launches in the comments of a source, which `run` and `check` execute, and such a comment for a launch that is proved.

use crate::run::source::ModuleSource;
use crate::run::{PreparedKernel, RunArguments};
use crate::write::replace;
use evaluation::launches::statement::{HOST, PROGRAMMATIC, WrittenClaimContent};
use evaluation::launches::{LaunchPurpose, WrittenLaunch, written_launches};
use kernel::arguments::launch::KernelLaunch;
use kernel::claims::condition::ConditionKind;
use litmus::keyword::{BESIDE, THEN};
use program::{Dimensions, LaunchStart, Processor};
use project::read;
use std::path::Path;
use syntax::readable;

/// The launches in comments of the source of a module, as arguments of the command, with the line of each.
///
/// # Errors
/// A message for users about the first line that is no launch.
pub fn in_comments(
    arguments: &RunArguments,
    module: &ModuleSource,
    purpose: LaunchPurpose,
) -> Result<Vec<(usize, RunArguments)>, String> {
    let Some(host) = &module.source.host else { return Ok(Vec::new()) };
    let text = host.text();
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let (launches, errors) = written_launches(text);
    if let Some(error) = errors.first() {
        let path = arguments.launch.file.display();
        return Err(format!("{path}:{}: {}; {}", line(error.range.start), error.message, error.help));
    }
    let wanted = launches.into_iter().filter(|one| one.purpose == purpose);
    Ok(wanted.map(|one| (line(one.range.start), as_arguments(arguments, text, &one))).collect())
}

/// The arguments that a launch in comments stands for.
fn as_arguments(arguments: &RunArguments, text: &str, written: &WrittenLaunch) -> RunArguments {
    let mut run = arguments.clone();
    let KernelLaunch { kernel, grid, block, cluster, shared, seed, arguments, earlier, beside, .. } =
        written.launch.clone();
    let options = &mut run.launch;
    (options.kernel, options.grid, options.block, options.cluster) = (Some(kernel), Some(grid), block, cluster);
    (options.shared, options.seed, options.arguments, options.earlier) = (shared, seed, arguments, earlier);
    options.beside = beside.iter().map(|one| line_of("", one)).collect();
    run.following = written.following.iter().map(|one| line_of("", &one.launch)).collect();
    for claim in &written.claims {
        match &claim.content {
            WrittenClaimContent::Values { target, values } => {
                run.expected.push(format!("{target}={}", &text[values.clone()]));
            }
            WrittenClaimContent::Condition(ConditionKind::Require, condition) => {
                run.required.push(text[condition.clone()].to_owned());
            }
            WrittenClaimContent::Condition(ConditionKind::Forbid, condition) => {
                run.forbidden.push(text[condition.clone()].to_owned());
            }
        }
    }
    run
}

/// A launch as it is written after a keyword.
fn line_of(keyword: &str, launch: &KernelLaunch) -> String {
    let size = |name: &str, Dimensions([x, y, z]): Dimensions| match (y, z) {
        (1, 1) => format!(" {name} {x}"),
        _ => format!(" {name} {x},{y},{z}"),
    };
    // The name of a template has spaces.
    let mut line = format!("{keyword}{}", launch.kernel.replace(' ', ""));
    if launch.processor == Processor::Host {
        line = format!("{line} {HOST}");
    }
    if launch.start == LaunchStart::Programmatic {
        line = format!("{line} {PROGRAMMATIC}");
    }
    line.push_str(&size("grid", launch.grid));
    line.extend(launch.block.map(|block| size("block", block)));
    line.extend(launch.cluster.map(|cluster| size("cluster", cluster)));
    if launch.shared > 0 {
        line = format!("{line} shared {}", launch.shared);
    }
    line.extend(launch.earlier.iter().map(|one| format!(" earlier {one}")));
    line.extend(launch.arguments.iter().map(|one| format!(" {one}")));
    line
}

/// The comment that says that a launch is proved.
///
/// # Errors
/// A message for users if a comment cannot say it.
pub fn comment(arguments: &RunArguments, prepared: &PreparedKernel) -> Result<String, String> {
    let launch = &prepared.wanted;
    let all = || launch.arguments.iter().chain(&arguments.following).chain(&arguments.expected);
    if let Some(file) = all().find(|one| one.contains("=@")) {
        return Err(format!("--write-comment: `{file}` reads a file, which launches in comments do not"));
    }
    // An argument with spaces has a line of its own.
    let (apart, inline): (Vec<String>, Vec<String>) =
        launch.arguments.iter().cloned().partition(|one| one.contains(char::is_whitespace));
    // Only `check` of a source knows its names.
    let kernel = match prepared.source.host {
        Some(_) => readable(&launch.kernel).into_owned(),
        None => launch.kernel.clone(),
    };
    let mut lines = vec![line_of("check ", &KernelLaunch { kernel, arguments: inline, ..launch.clone() })];
    lines.extend(apart.iter().map(|one| format!("arg {one}")));
    lines.extend(launch.beside.iter().map(|one| line_of(&format!("{BESIDE} "), one)));
    lines.extend(arguments.following.iter().map(|one| format!("{THEN} {one}")));
    let values = arguments.expected.iter().filter_map(|one| one.split_once('='));
    lines.extend(values.map(|(name, values)| format!("expect {name} == {values}")));
    lines.extend(arguments.required.iter().map(|one| format!("require {one}")));
    lines.extend(arguments.forbidden.iter().map(|one| format!("forbid {one}")));
    Ok(lines.iter().map(|line| format!("//! {line}\n")).collect())
}

/// Writes comments at the end of a file, but those that it has.
///
/// # Errors
/// A message for users if the file cannot be written.
pub fn write_comments(path: &Path, comments: &[String]) -> Result<(), String> {
    let failed = |reason: String| format!("cannot write {}: {reason}", path.display());
    if read::is_stdin(path) {
        return Err("--write-comment writes into a file, not into standard input".to_owned());
    }
    let old = read::text(path)?;
    let mut text = old.clone();
    for comment in comments.iter().filter(|comment| !old.contains(&***comment)) {
        let separator = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        text = format!("{text}{separator}{comment}");
    }
    if text == old {
        return Ok(());
    }
    replace(path, old.as_bytes(), &text).map_err(|error| failed(read::reason(&error)))
}

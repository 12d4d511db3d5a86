//! The subjects of commits: `area: change`, at most 72 characters.

use std::process::Command;

/// The last commit before the subjects had a form.
const BEFORE: &str = "bdcc9d33";

/// The most characters of a subject: what `git log --oneline` shows in a terminal.
const LONGEST: usize = 72;

/// What git prints, or why it cannot.
fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(arguments).current_dir(support::root()).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// What is wrong with a subject.
fn mistake(subject: &str) -> Option<String> {
    let area = subject.split_once(": ").map(|(area, _)| area).unwrap_or_default();
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_./` ".contains(c));
    let length = subject.chars().count();
    match area {
        _ if length > LONGEST => Some(format!("{length} characters, at most {LONGEST}")),
        _ if subject.ends_with('.') => Some("a full stop at the end".to_owned()),
        area if !area.split(", ").all(is_part) => Some("expected `area: change`".to_owned()),
        _ => None,
    }
}

#[test]
fn subjects_of_commits_name_an_area_and_a_change() {
    let since = git(&["merge-base", "--is-ancestor", BEFORE, "HEAD"])
        .and_then(|_| git(&["log", "--no-merges", "--format=%h %s", &format!("{BEFORE}..HEAD")]));
    let commits = match since {
        Ok(commits) => commits,
        Err(reason) => {
            return support::skipped(&format!("the subjects of commits: no history since {BEFORE}: {reason}"));
        }
    };
    for commit in commits.lines() {
        let (hash, subject) = commit.split_once(' ').unwrap_or((commit, ""));
        assert_eq!(mistake(subject), None, "{hash} {subject}");
    }
}

#[test]
fn the_form_of_a_subject_is_an_area_and_a_change() {
    for subject in
        ["lint: read notebooks", "run, check: bound declarations", "tests/run: build once", "ci.yml: name runners"]
    {
        assert_eq!(mistake(subject), None, "{subject}");
    }
    let long = format!("lint: {}", "x".repeat(LONGEST));
    for subject in ["Read notebooks", "Fuzzing (cuda): inputs", "lint: read notebooks.", ": nothing", &long] {
        assert!(mistake(subject).is_some(), "{subject}");
    }
}

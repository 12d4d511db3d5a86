//! Completion in the launches of comments: `//! run k grid 2 block 32 out=u32[64]`.

use super::{StatementCompletion, StatementCompletionKind as Kind};
use diagnostics::{Context, Snapshot};
use evaluation::launches::statement::{HOST, OPTIONS, PROGRAMMATIC, launches_of_line};
use evaluation::launches::written_launches;
use kernel::Kernel;
use litmus::keyword::LaunchKeyword;

/// The prefix of the comments.
const MARK: &str = "//!";

/// The completions in a comment.
pub(super) fn launch_completions(snapshot: &Snapshot, offset: usize) -> Vec<StatementCompletion> {
    let rope = snapshot.file.text();
    let line = rope.line_to_byte(rope.byte_to_line(offset));
    let before = snapshot.file.slice(&(line..offset));
    let Some((_, content)) = before.split_once(MARK) else { return Vec::new() };
    let content = content.trim_start();
    // The last one of several launches in a line.
    let launch = launches_of_line(content, 0..content.len()).pop().map_or(0, |part| part.start);
    let content =
        if LaunchKeyword::of(content).is_some_and(LaunchKeyword::launches) { &content[launch..] } else { content };
    let word = content.rsplit(char::is_whitespace).next().unwrap_or_default();
    let mut list = LaunchCompletions { range: offset - word.len()..offset, word, items: Vec::new() };
    let earlier: Vec<&str> = content[..content.len() - word.len()].split_whitespace().collect();
    match (LaunchKeyword::of(content), &earlier[..]) {
        (_, []) => {
            for (_, keyword, summary) in LaunchKeyword::ALL {
                list.add(Kind::Directive, keyword.to_owned(), summary);
            }
        }
        (Some(keyword), [_]) if keyword.launches() => {
            for kernel in Kernel::names(snapshot.file.as_ref()) {
                list.add(Kind::Function, kernel, "kernel");
            }
        }
        (Some(keyword), [_, kernel, given @ ..]) if keyword.launches() => {
            if keyword == LaunchKeyword::Beside && given.is_empty() {
                list.add(Kind::Directive, HOST.to_owned(), "its threads are of the host");
            }
            if keyword == LaunchKeyword::Then && given.is_empty() {
                list.add(Kind::Directive, PROGRAMMATIC.to_owned(), "it may begin before the kernel before has ended");
            }
            list.options(snapshot, kernel, given);
        }
        (Some(LaunchKeyword::Expect), [_]) => list.memory(snapshot, line),
        (Some(LaunchKeyword::Require | LaunchKeyword::Forbid), [_, ..]) => list.memory(snapshot, line),
        _ => {}
    }
    list.items
}

/// The completions so far.
struct LaunchCompletions<'w> {
    range: std::ops::Range<usize>,
    word: &'w str,
    items: Vec<StatementCompletion>,
}

impl LaunchCompletions<'_> {
    fn add(&mut self, kind: Kind, label: String, detail: &str) {
        if !label.starts_with(self.word) || label == self.word {
            return;
        }
        self.items.push(StatementCompletion {
            text: label.clone(),
            label,
            kind,
            range: self.range.clone(),
            snippet: false,
            detail: detail.to_owned(),
            documentation: String::new(),
            access: None,
            fits: true,
            is_truncated: false,
        });
    }

    /// The options and arguments that are not given yet.
    fn options(&mut self, snapshot: &Snapshot, kernel: &str, given: &[&str]) {
        let is_option = |word: &str| OPTIONS.iter().any(|(option, _)| *option == word);
        if given.last().is_some_and(|last| is_option(last)) {
            return;
        }
        for (option, meaning) in OPTIONS.iter().filter(|(option, _)| !given.contains(option)) {
            self.add(Kind::Directive, (*option).to_owned(), meaning);
        }
        let file = snapshot.file.as_ref();
        let Ok(kernel) = Kernel::lower(file, Context::new(snapshot).module, kernel) else { return };
        for parameter in kernel.parameters() {
            let prefix = format!("{}=", parameter.name);
            if !given.iter().any(|argument| argument.starts_with(&prefix)) {
                self.add(Kind::Parameter, prefix, &format!("parameter of {} bytes", parameter.size));
            }
        }
    }

    /// The buffers of the launch above a line, and the variables of its module.
    fn memory(&mut self, snapshot: &Snapshot, line: usize) {
        let text = snapshot.file.text().to_string();
        let (launches, _) = written_launches(&text[..line]);
        let Some(written) = launches.last() else { return };
        let beside = written.launch.beside.iter().flat_map(|one| &one.arguments);
        for argument in written.launch.arguments.iter().chain(beside) {
            if let Some((name, spec)) = argument.split_once('=')
                && spec.contains('[')
            {
                self.add(Kind::Parameter, name.to_owned(), "buffer");
            }
        }
        let file = snapshot.file.as_ref();
        let Ok(kernel) = Kernel::lower(file, Context::new(snapshot).module, &written.launch.kernel) else { return };
        for variable in &kernel.variables {
            self.add(Kind::Variable, variable.name.clone(), "variable");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Text;
    use diagnostics::Settings;
    use hosts::Language;

    const MODULE: &str = "\n.visible .entry count(.param .u64 hist)\n{\n.reg .u64 %rd<2>;\nld.param.u64 %rd1, [hist];\n\
                          red.global.add.u32 [%rd1], 1;\nret;\n}\n";

    fn text(comments: &str) -> String {
        format!(".version 8.0\n.target sm_90\n.address_size 64\n{comments}{MODULE}")
    }

    fn labels(comments: &str) -> Vec<String> {
        let text = text(comments);
        let at = text.find(MODULE).expect("the module");
        let snapshot = Text::parse(Language::Ptx, &text).under(Settings::default());
        snapshot.complete_statement(at).into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn a_launch_is_completed_word_by_word() {
        assert_eq!(labels("//! "), ["run", "check", "beside", "then", "arg", "expect", "require", "forbid"]);
        assert_eq!(labels("//! run "), ["count"]);
        assert_eq!(labels("//! run count grid 2 s"), ["shared", "seed"]);
        assert_eq!(labels("//! run count h"), ["hist="]);
        assert_eq!(labels("//! run count grid "), [""; 0]);
        assert_eq!(labels("//! run count hist=u32[4]\n//! expect "), ["hist"]);
        assert_eq!(labels("//! check count hist=u32[4]\n//! beside count h"), ["host", "hist="]);
        assert_eq!(labels("//! check count hist=u32[4] then "), ["count"]);
        assert_eq!(labels("//! check count hist=u32[4] beside count h"), ["host", "hist="]);
        assert_eq!(labels("// run "), [""; 0]);
    }
}

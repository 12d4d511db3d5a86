//! `explain`: the page of a rule, an instruction, a modifier, a directive or a special register.

use crate::exit::{Exit, fail};
use crate::output::print;
use clap::Args;
use std::collections::BTreeSet;
use std::ops::Range;

/// Arguments of `explain`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics explain atom.global.add.u32
  ptx-atomics explain narrow-scope")]
pub struct ExplainArguments {
    /// Rule code, instruction (atom, mad, REDG), form (atom.global.add.u32) or part of one (atom.add), modifier or directive (.relaxed, .maxntid), special register (%tid), word (CTA, 'generic address'), function of CUDA C++ (__syncthreads), or `coverage` [default: list all topics]
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
}

/// Prints the page.
pub fn run(arguments: &ExplainArguments) -> Exit {
    let page = match &arguments.topic {
        None => ide::explain::index(),
        Some(topic) => match ide::explain::page(topic) {
            Ok(page) => without_page_links(&page),
            Err(reason) => return fail(closest_words(topic).unwrap_or(reason)),
        },
    };
    print(&(page.trim_end().to_owned() + "\n")).map_or_else(fail, |()| Exit::Clean)
}

/// A page without links to the files of other pages, which a terminal cannot open: their text is what to explain.
fn without_page_links(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((label, target, range)) = rest.find("](").and_then(|middle| link(rest, middle)) {
        text.push_str(&rest[..range.start]);
        let is_page = !target.contains("://") && target.split('#').next().is_some_and(|file| file.ends_with(".md"));
        match (is_page, label.contains('`')) {
            (false, _) => text.push_str(&rest[range.clone()]),
            (true, true) => text.push_str(label),
            (true, false) => text.push_str(&format!("`{label}`")),
        }
        rest = &rest[range.end..];
    }
    text + rest
}

/// The label, the target and the range of the link whose label ends at an offset; `None` if there is no further link.
fn link(text: &str, middle: usize) -> Option<(&str, &str, Range<usize>)> {
    let start = text[..middle].rfind('[')?;
    let target = middle + "](".len();
    let end = target + text[target..].find(')')?;
    Some((&text[start + 1..middle], &text[target..end], start..end + 1))
}

/// The error that names the modifiers and directives closest to a misspelt one.
fn closest_words(topic: &str) -> Option<String> {
    let topic = topic.trim();
    topic.strip_prefix('.')?;
    let directives = isa::directives::directives().iter().map(|directive| directive.word.to_owned());
    let modifiers = isa::reference::modifiers().into_iter().map(|word| format!(".{}", word.trim_start_matches('.')));
    let words: BTreeSet<String> = modifiers.chain(directives).collect();
    let first = isa::closest(topic, words.iter().map(String::as_str))?;
    let second = isa::closest(topic, words.iter().map(String::as_str).filter(|word| *word != first));
    let second = second.map(|word| format!(" or `{word}`")).unwrap_or_default();
    Some(format!("no page on `{topic}`; did you mean `{first}`{second}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_pages_become_their_topics() {
        let page = "See [unfenced-mbarrier](unfenced_mbarrier.md), [`add`](add.md) and [tid](https://example.org/a.md).\n[x](b) `[a](`";
        assert_eq!(
            without_page_links(page),
            "See `unfenced-mbarrier`, `add` and [tid](https://example.org/a.md).\n[x](b) `[a](`"
        );
    }

    #[test]
    fn misspelt_modifiers_have_neighbours() {
        let error = closest_words(".relased").expect("neighbours");
        assert!(error.contains("`.relaxed`") && error.contains("`.release`"), "{error}");
        assert_eq!(closest_words("relased"), None);
    }
}

//! The examples in the rules' pages have exactly the diagnostics of their markers; the pages of instructions and directives and the lists
//! of pages are up to date. With `PTX_ATOMICS_UPDATE=1` they are written.

use diagnostics::{Preset, Settings, registry::RULES};
use hosts::Language;
use ide::Text;
use isa::reference;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use support::markers::{Marked, markers, module};

/// The blocks of a page under a heading that are in one of our languages, each as a whole text.
fn examples(page: &str, heading: &str) -> Vec<(Language, String)> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    let blocks = |fence: &'static str| section.split(fence).skip(1).filter_map(|rest| rest.split("```").next());
    let ptx = blocks("```ptx\n").map(|example| (Language::Ptx, module(example)));
    let sass = blocks("```sass\n").map(|example| (Language::Sass, example.to_owned()));
    let cuda = blocks("```cuda\n").map(|example| (Language::CUDA, example.to_owned()));
    let python = blocks("```python\n").map(|example| (Language::PYTHON, example.to_owned()));
    ptx.chain(sass).chain(cuda).chain(python).collect()
}

/// The settings that a page gives for the examples under a heading.
fn settings(page: &str, heading: &str) -> Settings {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap_or_default();
    let text = section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    diagnostics::config::parse(text).expect("settings").settings
}

/// What is found with one rule switched on that may be off by default.
fn findings(language: Language, text: &str, code: &str, settings: Settings) -> Vec<Marked> {
    let settings = settings.enable(code).expect("a rule of this code");
    let source = Text::parse(language, text).under(settings);
    let marked = |finding: &diagnostics::Diagnostic| Marked {
        line: source.position(finding.range.start).line + 1,
        severity: finding.severity.name().into(),
        code: finding.code().into(),
        token: text[finding.range.clone()].into(),
    };
    source.diagnostics().iter().map(marked).collect()
}

#[test]
fn examples_of_every_page_give_the_diagnostics_that_they_state() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n\n## What it does\n\n", rule.code)), "{}", rule.code);
        let sections: Vec<_> = rule.page.lines().filter(|line| line.starts_with("## ")).take(4).collect();
        let expected = ["## What it does", "## Why is this bad?", "## Example", "## Use instead"];
        assert_eq!(sections, expected, "{}", rule.code);
        let (bad, good) = (examples(rule.page, "Example"), examples(rule.page, "Use instead"));
        assert!(!bad.is_empty() && !good.is_empty(), "{} has both examples", rule.code);
        for (language, text) in bad {
            let expected = markers(&text);
            assert!(
                expected.iter().any(|e| e.code == rule.code),
                "{}: an example of the code has its marker",
                rule.code
            );
            let found = findings(language, &text, rule.code, settings(rule.page, "Example"));
            assert_eq!(found, expected, "{}: {text}", rule.code);
        }
        for (language, text) in good {
            assert_eq!(
                findings(language, &text, rule.code, settings(rule.page, "Use instead")),
                [],
                "{}: {text}",
                rule.code
            );
        }
    }
}

/// The file of a page. Windows has no file names with `::`, and links with `%` or `#` are special.
fn file_of(name: &str) -> String {
    format!("{}.md", name.trim_start_matches(['.', '%']).replace("::", ".").replace('#', ""))
}

/// Links to pages in a folder, one a line.
fn links<'a>(names: impl IntoIterator<Item = (&'a str, &'a str)>, folder: &str) -> String {
    names.into_iter().fold(String::new(), |mut list, (name, about)| {
        let about =
            if about.is_empty() { String::new() } else { format!(": {}", about.lines().next().unwrap_or_default()) };
        let _ = writeln!(list, "- [`{name}`]({folder}{}){about}", file_of(name));
        list
    })
}

/// The pages of instructions by their paths below `server/isa/pages`.
fn instructions() -> BTreeMap<String, String> {
    let families = isa::families();
    let (ours, around): (Vec<_>, Vec<_>) =
        families.map(|family| (family.name, family.summary, family.is_atomic())).partition(|one| one.2);
    let strip = |list: &[(&'static str, &'static str, bool)]| list.iter().map(|one| (one.0, one.1)).collect::<Vec<_>>();
    let (ours, around) = (strip(&ours), strip(&around));
    let machine: Vec<_> = isa::sass::mnemonics().iter().map(|name| (*name, "")).collect();
    let mut index = "# Instructions\n\nWritten from the tables by `PTX_ATOMICS_UPDATE=1 cargo test -p ptx-atomics-tests --test pages`; `ptx-atomics explain NAME` \
        prints the same.\n\n## Atomics\n\n"
        .to_owned();
    index += &links(ours.iter().copied(), "");
    index += "\n## Other instructions\n\n";
    index += &links(around.iter().copied(), "");
    index += "\n## Machine instructions (SASS)\n\n";
    index += &links(machine.iter().copied(), "sass/");
    index += "\n## Directives, types and options\n\n";
    let directives = isa::directives::directives();
    index += &links(directives.iter().map(|one| (one.word, reference::first_sentence(one.summary))), "directives/");
    index += "\n## Special registers\n\n";
    let registers = isa::special::registers();
    index +=
        &links(registers.iter().map(|one| (one.name, reference::first_sentence(one.summary))), "special-registers/");
    if !isa::unchecked::instructions().is_empty() {
        index += "\n## Not checked\n\nHover has one line on these; the linter does not check them.\n\n| instruction | since | |\n|---|---|---|\n";
    }
    for other in isa::unchecked::instructions() {
        let _ = writeln!(index, "| `{}` | {} | {} |", other.opcode, other.since, other.summary);
    }
    let page = |name: &str, below: &str| {
        let page = ide::explain::page(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A name may begin another's: `multimem.cp.reduce.async.bulk`; each has its own page.
        let own = page.split("\n---\n\n").find(|page| page.starts_with(&format!("# {name}\n"))).unwrap_or(&page);
        (format!("{below}{}", file_of(name)), own.trim_end().to_owned() + "\n")
    };
    let pages = ours.iter().chain(&around).map(|(name, _)| page(name, ""));
    let machine = machine.iter().map(|(name, _)| page(name, "sass/"));
    let named = |folder: &str, name: &str, page: Option<String>| {
        (format!("{folder}/{}", file_of(name)), page.expect("a page of its own").trim_end().to_owned() + "\n")
    };
    let directives = directives.iter().map(|one| named("directives", one.word, reference::directive(one.word)));
    let registers =
        registers.iter().map(|one| named("special-registers", one.name, reference::special_register(one.name)));
    let index = ("README.md".to_owned(), index);
    pages.chain(machine).chain(directives).chain(registers).chain([index]).collect()
}

/// The files of a folder and its folders, by their paths below it.
fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), found)
        } else {
            drop(found.insert(name, fs::read_to_string(entry.path()).expect("UTF-8")))
        }
    }
}

#[test]
fn every_instruction_and_directive_has_a_page_that_matches_the_tables() {
    let folder = support::root().join("server/isa/pages");
    let wanted = instructions();
    if support::update() {
        let _ = fs::remove_dir_all(&folder);
        for (path, text) in &wanted {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
    }
    let mut committed = BTreeMap::new();
    files(&folder, "", &mut committed);
    let names = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&wanted), "{}", support::UPDATE);
    for (path, text) in &wanted {
        assert_eq!(&committed[path], text, "{path}: {}", support::UPDATE);
    }
}

#[test]
fn links_of_the_pages_of_rules_lead_to_files() {
    let mut links = 0;
    for folder in ["server/lints/src/rules", "server/legality/src"].map(|path| support::root().join(path)) {
        let mut pages = BTreeMap::new();
        files(&folder, "", &mut pages);
        for (path, text) in pages.iter().filter(|(path, _)| path.ends_with(".md")) {
            let from = folder.join(path);
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            for target in targets.filter(|target| target.ends_with(".md")) {
                links += 1;
                let file = from.parent().expect("a folder").join(target);
                assert!(file.is_file(), "{}: there is no {target}", from.display());
            }
        }
    }
    assert!(links > 100, "{links} links");
}

#[test]
fn the_list_of_rules_leads_to_the_page_of_each() {
    let folder = support::root().join("server/lints/src/rules");
    let mut pages = BTreeMap::new();
    files(&folder, "", &mut pages);
    let rejected = "../../../legality/src";
    files(&folder.join(rejected), &format!("{rejected}/"), &mut pages);
    let mut list = "# Rules\n\nEach rule has a page. Its examples are run as tests. `ptx-atomics explain CODE` prints the page.\n\n\
        | rule | severity | preset | what it does |\n|---|---|---|---|\n"
        .to_owned();
    for rule in RULES {
        let (path, _) = pages.iter().find(|(_, text)| *text == rule.page).expect("the page is a file here");
        let preset = match rule.preset {
            Preset::Recommended => "recommended",
            Preset::Strict => "strict",
            Preset::All => "all",
        };
        let title = rule.summary;
        let _ = writeln!(list, "| [`{}`]({path}) | {} | {preset} | {title} |", rule.code, rule.severity.name());
    }
    support::check_or_update(&folder.join("README.md"), &list);
}

#[test]
fn words_and_functions_of_cuda_have_pages_that_match_the_glossary() {
    let mut words =
        "# Words of GPUs\n\nWritten from the glossary, as `ptx-atomics explain WORD` prints it.\n".to_owned();
    for term in isa::glossary::terms() {
        let names = term.names.join(", ");
        let _ = writeln!(words, "\n## {names}\n\n{}\n\nMore: `{}`.", term.meaning, term.see.join("`, `"));
    }
    let mut functions =
        "# Functions of CUDA C++ in PTX\n\nWritten from the glossary, as `ptx-atomics explain NAME` prints it.\n"
            .to_owned();
    for function in isa::glossary::cuda_functions() {
        let _ = writeln!(functions, "\n## `{}`\n\n```ptx\n{}\n```", function.name, function.instruction);
    }
    let folder = support::root().join("docs/reference");
    support::check_or_update(&folder.join("words.md"), &words);
    support::check_or_update(&folder.join("cuda-functions.md"), &functions);
}

/// A module with an instruction, and what it may name.
fn module_with(instruction: &str, target: &str) -> String {
    format!(
        ".version 9.5\n.target {target}\n.address_size 64\n.global .align 16 .b8 buffer[64];\n.entry k(.param .u64 k_param_0)\n{{\n\
         .reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n.shared .align 8 .b64 bar;\n{instruction}\ndone:\nret;\n}}\n"
    )
}

#[test]
fn examples_of_instructions_and_of_cuda_functions_are_legal() {
    let examples = isa::families().flat_map(|family| family.examples.iter().map(|example| (family.name, *example)));
    let examples: Vec<_> = examples.collect();
    assert!(examples.len() > 50);
    for (name, example) in &examples {
        assert!(example.split(' ').any(|word| word.starts_with(name)), "{example} is one of {name}");
    }
    let of_cuda = isa::glossary::cuda_functions().iter().map(|function| (function.name, function.instruction));
    for (name, example) in examples.into_iter().chain(of_cuda) {
        let errors = |target: &str| {
            let source = Text::parse(Language::Ptx, &module_with(example, target)).under(Settings::default());
            let found = source.diagnostics();
            found
                .iter()
                .filter(|one| one.severity.name() == "error")
                .map(|one| one.message().into_owned())
                .collect::<Vec<_>>()
        };
        // Each target with a suffix has instructions of its own.
        let found = errors("sm_100a");
        assert!(found.is_empty() || errors("sm_90a").is_empty(), "{name}: {example}: {found:?}");
    }
}

#[test]
fn every_page_that_the_glossary_names_exists() {
    for term in isa::glossary::terms() {
        assert!(!term.meaning.is_empty() && !term.see.is_empty(), "{term:?}");
        for name in term.names.iter().chain(&term.see) {
            assert!(ide::explain::page(name).is_ok(), "{name}");
        }
    }
    for function in isa::glossary::cuda_functions() {
        let page = ide::explain::page(function.name).expect("a page");
        assert!(page.contains(function.instruction), "{page}");
        let opcode = function.instruction.split([' ', ';']).next().unwrap_or_default();
        assert!(ide::explain::page(opcode).is_ok(), "{opcode}");
    }
}

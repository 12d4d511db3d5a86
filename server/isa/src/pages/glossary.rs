//! The words of GPUs that the pages use, and the instructions of CUDA C++'s built-in functions: rows in `tables/glossary.rows`.

use crate::tables::rows::{Line, RowError, expect_read, rows_file};
use std::fmt::Write;
use std::sync::LazyLock;

/// A word of GPUs.
#[derive(Debug)]
pub struct GlossaryTerm {
    /// Its names; the first is the title.
    pub names: Vec<&'static str>,
    /// What it means, in a paragraph.
    pub meaning: &'static str,
    /// The pages that say more.
    pub see: Vec<&'static str>,
}

/// A built-in function of CUDA C++.
#[derive(Debug)]
pub struct CudaFunction {
    /// Its name.
    pub name: &'static str,
    /// An instruction that it becomes.
    pub instruction: &'static str,
}

/// All words and functions.
#[derive(Debug, Default)]
struct Glossary {
    terms: Vec<GlossaryTerm>,
    functions: Vec<CudaFunction>,
}

static GLOSSARY: LazyLock<Glossary> = LazyLock::new(|| {
    let mut glossary = Glossary::default();
    expect_read(rows_file!("glossary.rows").lines().try_for_each(|line| glossary.read(line)));
    glossary
});

/// The words of GPUs.
pub fn terms() -> &'static [GlossaryTerm] {
    &GLOSSARY.terms
}

/// The built-in functions of CUDA C++ that have an instruction.
pub fn cuda_functions() -> &'static [CudaFunction] {
    &GLOSSARY.functions
}

/// The page of a word, in any case, or of a built-in function of CUDA C++. `None` if there is none.
pub fn page(topic: &str) -> Option<String> {
    let named = |term: &&GlossaryTerm| term.names.iter().any(|name| name.eq_ignore_ascii_case(topic));
    if let Some(term) = terms().iter().find(named) {
        let mut text = format!("# {}\n\n{}\n", term.names[0], term.meaning);
        if let [_, others @ ..] = term.names.as_slice()
            && !others.is_empty()
        {
            let _ = write!(text, "\nAlso: {}.\n", others.join(", "));
        }
        let see: Vec<String> = term.see.iter().map(|page| format!("`{page}`")).collect();
        let _ = write!(text, "\nMore: {}.\n", see.join(", "));
        return Some(text);
    }
    let name = topic.strip_suffix("()").unwrap_or(topic);
    let CudaFunction { name, instruction } = cuda_functions().iter().find(|function| function.name == name)?;
    let opcode = instruction.split([' ', ';']).next().unwrap_or_default();
    Some(format!("# {name}\n\nA function of CUDA C++. In PTX:\n\n```ptx\n{instruction}\n```\n\nMore: `{opcode}`.\n"))
}

impl Glossary {
    fn read(&mut self, line: Line) -> Result<(), RowError> {
        let list = |text: &'static str| text.split(", ").collect();
        match (line.text.split_once(' '), self.terms.last_mut()) {
            (Some(("term", names)), _) => {
                self.terms.push(GlossaryTerm { names: list(names), meaning: "", see: Vec::new() });
            }
            (Some(("meaning", meaning)), Some(term)) => term.meaning = meaning,
            (Some(("see", pages)), Some(term)) => term.see = list(pages),
            (Some(("cuda", rest)), _) => {
                let (name, instruction) = rest.split_once(" = ").ok_or_else(|| line.error("missing ` = `"))?;
                self.functions.push(CudaFunction { name, instruction });
            }
            _ => return Err(line.error("expected `term`, `meaning`, `see` or `cuda`")),
        }
        Ok(())
    }
}

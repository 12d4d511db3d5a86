//! Detects the language of a file by its name, else by its contents.

use super::{Language, head};
use crate::cpp::scan;

impl Language {
    /// The language of a file: by its name, else by its text; PTX if neither determines it.
    ///
    /// # Errors
    /// The name of a language that is not supported.
    pub fn detect(path: &str, text: &str) -> Result<Language, &'static str> {
        match Self::of_path(path) {
            Some(Language::Sass) if is_assembler_source(head(text)) => {
                return Err("the source of an assembler for SASS");
            }
            Some(language) => return Ok(language),
            None => {}
        }
        if let Some(other) = foreign(path) {
            return Err(other);
        }
        if text.lines().next().is_some_and(|line| line.starts_with("#!") && line.contains("python")) {
            return Ok(Language::PYTHON);
        }
        Ok(Self::of_text(text).unwrap_or(Language::Ptx))
    }

    /// Whether a file's name is that of a header.
    pub fn may_be_included(path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        matches!(ending, "inc" | "impl" | "ipp" | "tpp" | "tcc" | "cl") || ending.starts_with("inc_")
    }

    /// Whether a header that was found in a folder is C++ by its first bytes.
    pub fn is_included(path: &str, head: &[u8]) -> bool {
        Self::may_be_included(path) && is_cpp(&String::from_utf8_lossy(head))
    }
}

/// The name of an unsupported language, by the ending of a name.
fn foreign(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    Some(match ending.as_str() {
        "pyx" => "Cython",
        "rst" => "reStructuredText",
        _ => return None,
    })
}

/// Whether a text is C++: its first line of code is not that of a module, and it has directives or `asm` statements.
pub(super) fn is_cpp(text: &str) -> bool {
    let mut code = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    if code.next().is_some_and(|line| line.starts_with('.')) {
        return false;
    }
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        ["include ", "include<", "include\"", "define ", "ifdef ", "ifndef ", "pragma once"]
            .iter()
            .any(|word| rest.starts_with(word))
    };
    text.lines().any(directive)
        || scan(text).iter().any(|statement| statement.finished && !statement.template.is_empty())
}

/// Whether a text is the input of an assembler such as `turingas` or `maxas`: control codes such as `--:-:1:Y:2` precede instructions.
pub(super) fn is_assembler_source(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| {
        let word = line.trim_ascii_start().split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        let mut parts = word.split(|byte| *byte == b':');
        let one = |part: &[u8]| part.len() == 1 && (part[0] == b'-' || part[0].is_ascii_alphanumeric());
        let wait = |part: &[u8]| part.len() == 2 && part.iter().all(|byte| *byte == b'-' || byte.is_ascii_hexdigit());
        parts.next().is_some_and(wait) && parts.clone().count() == 4 && parts.all(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inline_asm::HostLanguage;

    #[test]
    fn the_language_follows_from_the_name_or_the_contents() {
        let asm = "// licence\ntemplate <class T> void f(T* p) {\n  asm volatile(\"red.global.add.u32 [%0], 1;\" :: \"l\"(p));\n}\n";
        for (path, text, language) in [
            ("a.inc_isglobal", asm, Ok(Language::CUDA)),
            ("a.impl", "#include <b>\n", Ok(Language::CUDA)),
            ("-", "red.global.add.u32 [a], r; // asm(\"\")\n", Ok(Language::Ptx)),
            ("-", "\n.version 8.0 // asm\n.target sm_90\n#define X\n", Ok(Language::Ptx)),
            ("a.s", "", Ok(Language::Ptx)),
            ("a.py", asm, Ok(Language::PYTHON)),
            ("run", "#!/usr/bin/env python3\n", Ok(Language::PYTHON)),
            ("a.pyx", asm, Err("Cython")),
            ("README.rst", asm, Err("reStructuredText")),
            ("README.md", asm, Ok(Language::Host(HostLanguage::Markdown))),
            ("a.cl", asm, Ok(Language::CUDA)),
            ("a.sass", "  --:-:-:Y:2  IADD3 R0, R1, R2, R3;\nEXIT;\n", Err("the source of an assembler for SASS")),
            ("a.sass", "01:-:-:-:5 S2R R0, SR_TID.X;\n", Err("the source of an assembler for SASS")),
            ("a.sass", "/*0000*/ EXIT ;\n", Ok(Language::Sass)),
        ] {
            assert_eq!(Language::detect(path, text), language, "{path}: {text}");
        }
        assert!(Language::is_included("x/a.inc_predicate", asm.as_bytes()));
        assert!(!Language::is_included("a.inc", b"<?php echo 1;") && !Language::is_included("a.txt", asm.as_bytes()));
        assert!(!Language::Sass.fits(b"--:-:-:Y:2  IADD3 R0, R1, R2, R3;\nEXIT;\n"));
    }
}

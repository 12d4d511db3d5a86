//! The supported languages, and how the language of a text is determined.

mod detect;

use crate::inline_asm::HostLanguage;

/// A supported language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// PTX modules.
    Ptx,
    /// Disassembly of machine code.
    Sass,
    /// A language with inline assembly.
    Host(HostLanguage),
    /// Litmus tests of the memory model.
    Litmus,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3 + HostLanguage::ALL.len()] = {
        let mut all = [Language::Litmus; 3 + HostLanguage::ALL.len()];
        (all[0], all[1]) = (Language::Ptx, Language::Sass);
        let mut at = 0;
        while at < HostLanguage::ALL.len() {
            all[2 + at] = Language::Host(HostLanguage::ALL[at]);
            at += 1;
        }
        all
    };
    /// CUDA C++.
    pub const CUDA: Language = Language::Host(HostLanguage::Cpp);
    /// Python.
    pub const PYTHON: Language = Language::Host(HostLanguage::Python);

    /// The identifiers that editors use, our own first.
    pub fn ids(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
            Language::Sass => &["nvsass", "nv-sass"],
            Language::Host(host) => host.ids(),
            Language::Litmus => &["ptx-litmus"],
        }
    }

    /// The endings of file names, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
            Language::Sass => &["sass"],
            Language::Host(host) => host.endings(),
            Language::Litmus => &["litmus"],
        }
    }

    /// The language of a document: by the editor's identifier, or by its name if that is unknown.
    pub fn of(id: &str, path: &str) -> Option<Language> {
        let known = |language: &Language| language.ids().iter().any(|known| known.eq_ignore_ascii_case(id));
        Self::ALL.into_iter().find(known).or_else(|| Self::of_path(path))
    }

    /// The language of a file by its name.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let (_, ending) = name.rsplit_once('.')?;
        let fits = |language: &Language| language.endings().iter().any(|known| known.eq_ignore_ascii_case(ending));
        Self::ALL.into_iter().find(fits)
    }

    /// The language of a text by its contents: disassembly has headings, PTX has directives at its head.
    pub fn of_text(text: &str) -> Option<Language> {
        if detect::is_cpp(text) {
            return Some(Language::CUDA);
        }
        // Disassembly may name a `.target` too.
        [Language::Sass, Language::Ptx].into_iter().find(|language| language.fits(head(text)))
    }

    /// Whether the first bytes of a file that was found in a folder match the language of its name. The ending `.ptx` is shared
    /// with PreTeXt and laser scans: PTX has a `.version` or `.target`. `.sass` is shared with style sheets: those have no instruction.
    pub fn fits(self, head: &[u8]) -> bool {
        let has = |word: &str| head.windows(word.len()).any(|window| window == word.as_bytes());
        match self {
            Language::Ptx => has(".version") || has(".target"),
            Language::Sass => {
                !detect::is_assembler_source(head)
                    && (has(".headerflags")
                        || has(".elftype")
                        || has("code for sm_")
                        || head.split(|byte| *byte == b'\n').any(is_instruction))
            }
            Language::Host(_) => true,
            // Other architectures' litmus tests have the same ending and begin with their own name.
            Language::Litmus => {
                let first = head.trim_ascii_start().get(..3).unwrap_or_default();
                first.eq_ignore_ascii_case(b"ptx")
            }
        }
    }
}

/// The length of the text that is examined, in bytes: longer than a licence header.
pub const HEAD: usize = 64 << 10;

/// The beginning of a text.
fn head(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(HEAD)]
}

/// Whether a line looks like a SASS instruction: an optional address, brace or guard, a word in capitals, and a `;`.
fn is_instruction(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut text = text.trim();
    if let Some((place, rest)) = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
        if place.is_empty() || !place.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        text = rest.trim_start();
    }
    text = text.strip_prefix('{').unwrap_or(text).trim_start();
    if let Some(guarded) = text.strip_prefix('@') {
        text = guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').next().unwrap_or_default();
    let mnemonic = word.split('.').next().unwrap_or_default();
    let capitals = mnemonic.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    mnemonic.len() > 1
        && capitals
        && mnemonic.as_bytes()[0].is_ascii_uppercase()
        && text[word.len()..].starts_with([' ', '\t', ';'])
        && text[word.len()..].contains(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_s_word_counts_more_than_the_name() {
        assert_eq!(Language::of("ptx", "untitled:1"), Some(Language::Ptx));
        assert_eq!(Language::of("PTX", "/a.txt"), Some(Language::Ptx));
        assert_eq!(Language::of("plaintext", "/b/a.PTX"), Some(Language::Ptx));
        assert_eq!(Language::of("plaintext", "/b.ptx/a"), None);
        assert_eq!(Language::of("cuda-cpp", "/a"), Some(Language::CUDA));
        assert_eq!(Language::of("", "/a.CUH"), Some(Language::CUDA));
    }

    #[test]
    fn disassembly_is_detected_by_its_contents_and_style_sheets_are_not() {
        let sass = [
            "RED.E.MIN.U32 [R0 - 400], R5;",
            "// a\n\n        /*0030*/    @!P0 EXIT ;      /* 0x0 */",
            "\t.headerflags\t@\"EF_CUDA_SM90\"\n",
            "\tcode for sm_80\n",
            "\t.target\tsm_90\n\n\t.elftype\t@\"ET_EXEC\"\n",
        ];
        for text in sass {
            assert_eq!(Language::of_text(text), Some(Language::Sass), "{text}");
        }
        for text in ["$c: #333\nbody\n  color: $c\n", "A { color: red; }", "", "é;", "/*x*/ RED;", "@media print;\n"] {
            assert_eq!(Language::of_text(text), None, "{text}");
        }
        for text in
            [".version 8.0\n.target sm_80\n", ".target sm_80\n.entry k() {\nL1: ret;\n// RED.ADD [R0], R1;\n}\n"]
        {
            assert_eq!(Language::of_text(text), Some(Language::Ptx), "{text}");
        }
        assert_eq!(Language::of_path("/b/a.sass"), Some(Language::Sass));
    }

    #[test]
    fn no_two_languages_share_an_identifier_or_an_ending() {
        let all = |words: fn(Language) -> &'static [&'static str]| {
            let mut all: Vec<_> = Language::ALL.iter().flat_map(|language| words(*language)).collect();
            let count = all.len();
            all.sort();
            all.dedup();
            (all.len(), count)
        };
        for (different, count) in [all(Language::ids), all(Language::endings)] {
            assert_eq!(different, count);
        }
    }
}

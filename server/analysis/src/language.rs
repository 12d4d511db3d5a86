//! Which languages there are, and how a text's language is known.
//!
//! Must not know what is done with a text.

/// A language that we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// PTX modules.
    Ptx,
}

impl Language {
    /// All of them.
    pub const ALL: &'static [Language] = &[Language::Ptx];

    /// The identifiers that editors use, our own first.
    pub fn ids(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
        }
    }

    /// The endings of file names, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
        }
    }

    /// The language of a document: by the identifier that the editor gives it, or by its name where that says nothing.
    pub fn of(id: &str, path: &str) -> Option<Language> {
        let known = |language: &&Language| language.ids().iter().any(|known| known.eq_ignore_ascii_case(id));
        Self::ALL.iter().find(known).copied().or_else(|| Self::of_path(path))
    }

    /// The language of a file by its name.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let (_, ending) = name.rsplit_once('.')?;
        let fits = |language: &&Language| language.endings().iter().any(|known| known.eq_ignore_ascii_case(ending));
        Self::ALL.iter().find(fits).copied()
    }

    /// Whether the first bytes of a file that was found in a folder are of the language that its name promises. The ending `.ptx` is shared
    /// with PreTeXt and laser scans: PTX has a `.version` or `.target`.
    pub fn fits(self, head: &[u8]) -> bool {
        let has = |word: &str| head.windows(word.len()).any(|window| window == word.as_bytes());
        match self {
            Language::Ptx => has(".version") || has(".target"),
        }
    }
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

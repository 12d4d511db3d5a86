//! What is shown while a user types, step by step.

use super::*;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use syntax::Rope;

/// Two instructions with an error each, between which one is typed.
const MODULE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.reg .b64 a, .reg .u32 r) {\n\
    red.global.add.s8 [a], r;\n/**/\nred.global.add.s16 [a], r;\nret;\n}\n";

/// A document that is edited, with what is shown of it.
struct Session {
    text: String,
    language: Language,
    shown: EarlierDiagnostics,
    typing: Option<Typing>,
    edits: u64,
}

impl Session {
    fn of(language: Language, text: &str) -> Self {
        let mut session =
            Session { text: text.to_owned(), language, shown: EarlierDiagnostics::default(), typing: None, edits: 0 };
        session.check();
        session
    }

    /// Replaces a text by another one without a check.
    fn replace(&mut self, old: &str, new: &str) {
        let before = Rope::from_str(&self.text);
        let at = self.text.find(old).expect("is there");
        self.text.replace_range(at..at + old.len(), new);
        let edit = between(&before, &Rope::from_str(&self.text)).expect("is short");
        assert!(edit.is_typed());
        self.edits += 1;
        self.shown.note(std::slice::from_ref(&edit));
        self.typing = Some(Typing::after(self.edits, &[edit], self.typing.take()));
    }

    /// The texts of what is shown after a check, each with the code.
    fn check(&mut self) -> Vec<String> {
        let source = Text::parse(self.language, &self.text).under(Settings::default());
        let found: Arc<[Diagnostic]> = source.diagnostics().into();
        let shown = match &mut self.typing {
            Some(typing) => {
                let shown = while_typing(&*source, typing, &self.shown, &found);
                typing.checked(&shown);
                shown
            }
            None => all(found),
        };
        self.shown = EarlierDiagnostics::of(shown.diagnostics.clone());
        let text = |one: &Diagnostic| format!("{} {}", one.code(), &self.text[one.range.clone()]);
        shown.diagnostics.iter().map(text).collect()
    }

    fn after(&mut self, old: &str, new: &str) -> Vec<String> {
        self.replace(old, new);
        self.check()
    }

    fn pause(&mut self) -> Vec<String> {
        self.typing = None;
        self.check()
    }
}

const OTHERS: [&str; 2] = ["illegal-type .s8", "illegal-type .s16"];

#[test]
fn no_key_of_an_instruction_shows_an_error_and_no_other_error_moves() {
    let mut session = Session::of(Language::Ptx, MODULE);
    let typed = "@p atom.global.cas.b32 r, [a], r;";
    let mut before = "/**/".to_owned();
    for end in 1..=typed.len() {
        assert_eq!(session.after(&before, &typed[..end]), OTHERS, "{}", &typed[..end]);
        typed[..end].clone_into(&mut before);
    }
    let found = session.pause();
    assert!(found.len() > 2 && OTHERS.iter().all(|other| found.contains(&(*other).to_owned())), "{found:?}");
}

#[test]
fn an_edit_elsewhere_shows_what_is_wrong_with_the_statement_before() {
    let mut session = Session::of(Language::Ptx, MODULE);
    assert_eq!(session.after("/**/", "mul.u32 r, r, r;\n/**/"), OTHERS);
    let left = session.after("/**/", "a");
    assert_eq!(left, ["illegal-type .s8", "illegal-type .u32", "illegal-type .s16"]);
    assert_eq!(session.after("\na\n", "\nad\n"), left);
    let edited_again = session.after("mul.u32", "mul.u16");
    assert_eq!(edited_again, ["illegal-type .s8", "syntax-error ", "illegal-type .s16"], "`ad` is unfinished");
}

#[test]
fn what_is_shown_of_a_statement_is_that_of_a_check_after_it() {
    let mut session = Session::of(Language::Ptx, MODULE);
    session.after("/**/", "add.u32 r, r,");
    session.replace("r, r,", "r, r, r;");
    session.replace("r, r, r;", "r, r, r;\n/**/");
    assert_eq!(session.after("/**/", "a"), OTHERS, "the error of the half-typed line was never shown");
}

#[test]
fn an_edited_statement_hides_its_own_errors_alone() {
    let mut session = Session::of(Language::Ptx, &MODULE.replace("/**/", "ret;"));
    assert_eq!(session.after("add.s16", "add.s1"), OTHERS[..1]);
    assert_eq!(session.after("add.s1 ", "add.s "), OTHERS[..1]);
    assert_eq!(session.pause(), ["illegal-type .s8", "unknown-modifier .s"]);
}

#[test]
fn a_quote_hides_no_error_of_another_statement() {
    let text = "__global__ void k(int *p) {\n  asm(\"red.global.add.s8 [%0], 1;\" :: \"l\"(p));\n  /**/\n  \
        asm(\"red.global.add.s16 [%0], 1;\" :: \"l\"(p));\n}\n";
    let mut session = Session::of(Language::Host(hosts::inline_asm::HostLanguage::Cpp), text);
    let typed = "asm volatile(\"red.global.add.u32 [%0], %1;\" :: \"l\"(p), \"r\"(1));";
    let mut before = "/**/".to_owned();
    for end in 1..=typed.len() {
        assert_eq!(session.after(&before, &typed[..end]), OTHERS, "{}", &typed[..end]);
        typed[..end].clone_into(&mut before);
    }
    assert_eq!(session.pause(), OTHERS);
}

#[test]
fn fixes_of_others_move_with_them() {
    let mut session = Session::of(Language::Ptx, &MODULE.replace("global.add.s16", "glbal.add.u32"));
    session.after("/**/", "mov.u32 r, r;");
    session.after(".version 8.0", ".version 8.10");
    let shown = session.shown.moved().expect("was checked");
    let fix = shown[1].fixes.first().expect("a fix");
    let changed: Vec<_> = fix.edits.iter().map(|edit| &session.text[edit.range.clone()]).collect();
    assert!(changed.iter().all(|text| text.contains("glbal")), "{changed:?}");
}

#[test]
fn the_cursor_leaves_the_statement_with_its_line() {
    let mut session = Session::of(Language::Ptx, MODULE);
    session.replace("/**/", "add");
    let text = Rope::from_str(&session.text);
    let at = session.text.find("add\n").expect("is there");
    let line_of = |offset: usize| text.byte_to_line(offset);
    for _ in 0..2 {
        let typing = session.typing.as_ref().expect("was edited");
        assert!(!typing.is_elsewhere(at, line_of) && !typing.is_elsewhere(at + 3, line_of));
        assert!(typing.is_elsewhere(at + 4, line_of) && typing.is_elsewhere(0, line_of));
        session.check();
    }
}

#[test]
fn the_difference_of_two_texts_makes_one_of_the_other() {
    let texts = ["", "a", "aa", "ab", "aba", "é", "è", "éé", "a\u{1F600}b", "a\u{1F601}b", "x\ny\nz", "x\nz"];
    for old in texts {
        for new in texts {
            let edit = between(&Rope::from_str(old), &Rope::from_str(new)).expect("is short");
            let (replaced, whole) = (edit.replaced(), edit.moved(&(0..old.len())));
            let inserted = &new[replaced.clone()];
            let rest = new.len() - replaced.end;
            let made = format!("{}{inserted}{}", &old[..replaced.start], &old[old.len() - rest..]);
            assert_eq!(made, new, "{old} {new}");
            assert!(whole.end <= new.len() && edit.touches(&replaced) || old == new || inserted.is_empty());
        }
    }
}

#[test]
fn a_range_moves_with_what_is_before_it_and_grows_with_what_is_in_it() {
    let text = Rope::from_str("0123456789");
    let after = |place: Range<usize>, new: &str, range: Range<usize>| Replacement::new(&text, place, new).moved(&range);
    assert_eq!(after(2..2, "ab", 4..6), 6..8);
    assert_eq!(after(4..4, "ab", 4..6), 6..8, "inserted before it");
    assert_eq!(after(6..6, "ab", 4..6), 4..6, "inserted behind it");
    assert_eq!(after(5..5, "ab", 4..6), 4..8);
    assert_eq!(after(3..5, "", 4..6), 3..4);
    assert_eq!(after(3..7, "x", 4..6), 3..4);
    assert_eq!(after(7..9, "x", 4..6), 4..6);
    assert_eq!(after(4..4, "ab", 4..4), 6..6);
    assert!(Replacement::new(&text, 1..2, "\n  ").is_typed());
    assert!(!Replacement::new(&text, 1..2, "\n\n").is_typed());
    assert!(!Replacement::new(&Rope::from_str("a\nb\nc"), 0..5, "x").is_typed());
}

use super::*;

fn invalid(text: &str) -> Vec<(String, ConstantError)> {
    let found = invalid_constants(&Rope::from_str(text), 0..text.len());
    found.into_iter().map(|invalid| (text[invalid.range].to_owned(), invalid.mistake)).collect()
}

#[test]
fn a_number_is_found_wherever_pieces_of_the_text_end() {
    let filling = "mov.u32 %r1, %r2;\n";
    for (number, mistake) in [
        ("0xFFFFFFFFFFFFFFFFF", ConstantError::Overflow(Overflow::Wide)),
        ("1e400", ConstantError::Overflow(Overflow::Large)),
        ("1e-310", ConstantError::Overflow(Overflow::Small)),
    ] {
        for before in 900..1100 {
            let text = format!("{}{};", &filling.repeat(80)[..before], format_args!(" , {number}"));
            assert_eq!(invalid(&text), [(number.to_owned(), mistake)], "{before}");
        }
    }
    for before in 900..1100 {
        let text = format!("{} .maxnreg 4294967296", &filling.repeat(80)[..before]);
        let narrow = ConstantError::Overflow(Overflow::Narrow);
        assert_eq!(invalid(&text), [("4294967296".to_owned(), narrow)], "{before}");
    }
    for before in 900..1100 {
        let text = format!("{} , 7 % (8-8);", &filling.repeat(80)[..before]);
        assert_eq!(invalid(&text), [("(8-8)".to_owned(), ConstantError::DivisionByZero)], "{before}");
    }
}

#[test]
fn digits_of_names_and_numbers_given_by_their_bits_hide_nothing() {
    let names = "_ZN3addILi1E3E5x12345678901234567890 0d3FE0000000000000 0f3E800000 0xFFFFFFFF 4294967295 .5e3 ";
    assert_eq!(invalid(&names.repeat(40)), []);
    for number in ["1e400", ".5e400", "5.e400", "99999999999999999999"] {
        let found: Vec<_> =
            invalid(&format!("{names}{number} {names}")).into_iter().map(|(number, _)| number).collect();
        assert_eq!(found, [number]);
    }
}

#[test]
fn only_code_counts() {
    assert_eq!(
        invalid("// 1/0 1e400\n/* 1/0 */ \"1/0\" # 1/0 99999999999999999999\n %r1e400 %rd99999999999999999999"),
        []
    );
    assert_eq!(invalid("mov %1, %0; 1/%0; 1/x; 1/(x-x);"), []);
}

#[test]
fn endless_nesting_ends() {
    assert_eq!(invalid(&format!("1/{}", "(".repeat(100_000))), []);
    assert_eq!(invalid(&format!("1/{}0", "-".repeat(100_000))), []);
}

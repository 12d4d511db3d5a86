//! Fixtures say what is to be found in them: `//~ error CODE "token"` after a line, several markers after one another. In Python, `#~` begins one.
//!
//! `//~ error CODE "token" #2` means the second occurrence of the token on the line; without a number it is the first, if the position is checked
//! ([`placed`]). `//~^ error …` is for the line above, one `^` per line. `//~ ok` documents that the line has no diagnostic. A token of `""` is an empty range.

/// What a fixture expects, or what was found, in one form: line from 1, severity, code and the text of the range.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marked {
    /// The line, from 1.
    pub line: usize,
    /// `error`, `warning`, `info` or `hint`.
    pub severity: String,
    /// The code.
    pub code: String,
    /// The text that the finding's range covers.
    pub token: String,
}

/// The markers of a text, in order.
///
/// # Panics
/// If a marker is malformed: a typing error must not pass as an expectation of nothing.
pub fn markers(text: &str) -> Vec<Marked> {
    placed(text).into_iter().map(|(marked, _)| marked).collect()
}

/// The markers of a text, in order, each with the column of the token's first character, from 1; 0 where the token is empty or does not stand there.
///
/// # Panics
/// As [`markers`].
pub fn placed(text: &str) -> Vec<(Marked, usize)> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        for marker in pieces(line).skip(1).map(str::trim).filter(|marker| !marker.starts_with("ok")) {
            let rest = marker.trim_start_matches('^');
            let above = marker.len() - rest.len();
            let mut parts = rest.trim().splitn(3, ' ');
            let (Some(severity), Some(code), Some(token)) = (parts.next(), parts.next(), parts.next()) else {
                panic!("line {}: a marker is `//~ error CODE \"token\"`, not `{marker}`", number + 1);
            };
            assert!(
                ["error", "warning", "info", "hint"].contains(&severity),
                "line {}: severity `{severity}`",
                number + 1
            );
            let (token, which) = match token.rsplit_once("\" #") {
                Some((token, which)) => (token, which.parse().ok()),
                None => (token.strip_suffix('"').unwrap_or_default(), Some(1)),
            };
            let quoted = token.strip_prefix('"').zip(which);
            let (token, which) =
                quoted.unwrap_or_else(|| panic!("line {}: the token must be in quotes: `{marker}`", number + 1));
            let line = number.checked_sub(above).expect("as many lines stand above");
            let column = place(lines[line], token, which);
            let marked = Marked { line: line + 1, severity: severity.into(), code: code.into(), token: token.into() };
            found.push((marked, column));
        }
    }
    found
}

/// The code of a line, and its markers.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    line.split("//~").flat_map(|piece| piece.split("#~"))
}

/// The column, from 1, of the `which`th occurrence of a token on a line; 0 if there is none.
fn place(line: &str, token: &str, which: usize) -> usize {
    let code = pieces(line).next().unwrap_or_default();
    let at = (!token.is_empty()).then(|| code.match_indices(token).nth(which - 1)).flatten();
    at.map_or(0, |(at, _)| code[..at].chars().count() + 1)
}

/// The findings of a `jsonl` report on a text, in the form of markers.
pub fn reported(jsonl: &str, text: &str) -> Vec<Marked> {
    let lines: Vec<Vec<char>> = text.split('\n').map(|line| line.chars().collect()).collect();
    jsonl
        .lines()
        .map(|json| {
            let finding: serde_json::Value = serde_json::from_str(json).expect("a line of jsonl is an object");
            let number = |key: &str| finding[key].as_u64().expect("a number") as usize;
            let (line, column) = (number("line"), number("column"));
            let end = if number("end_line") == line { number("end_column") } else { lines[line - 1].len() + 1 };
            Marked {
                line,
                severity: finding["severity"].as_str().expect("a string").into(),
                code: finding["code"].as_str().expect("a string").into(),
                token: lines[line - 1][column - 1..end - 1].iter().collect(),
            }
        })
        .collect()
}

/// A module around an example that is instructions only: names of every width, memory in every space.
pub fn module(example: &str) -> String {
    let is_directive = |line: &&str| line.starts_with(".version") || line.starts_with(".target");
    if example.contains(".entry") {
        return example.to_owned();
    }
    let head: Vec<_> = example.lines().filter(is_directive).collect();
    let body: Vec<_> = example.lines().filter(|line| !is_directive(line)).collect();
    let head = if head.is_empty() { ".version 9.5\n.target sm_90".to_owned() } else { head.join("\n") };
    format!(
        "{head}\n.global .align 16 .b32 g[64];\n.shared .align 16 .b32 s[64];\n.visible .entry k(.param .u64 parameter)\n{{\n\
         .reg .pred p, q; .reg .b16 h<9>; .reg .b32 r, r<9>; .reg .f32 f, f<9>; .reg .f64 d, d<9>; .reg .b64 a, l, policy;\n{}\nret;\n}}\n",
        body.join("\n")
    )
}

//! The lines of a launch in a comment: `run k grid 2 block 32 n=u32=5`, `arg in=u32[4]=1,2,3,4`, `expect hist[3] == 7`.

use kernel::arguments::launch::{KernelLaunch, dimensions};
use kernel::claims::condition::ConditionKind;
use litmus::keyword::{BESIDE, THEN};
use program::{LaunchStart, Processor};
use std::ops::Range;
use std::str::FromStr;

/// The options of a launch, with what follows each.
pub const OPTIONS: [(&str, &str); 6] = [
    ("grid", "CTAs of the grid: X, X,Y or X,Y,Z"),
    ("block", "threads of a CTA: X, X,Y or X,Y,Z"),
    ("cluster", "CTAs of a cluster: X, X,Y or X,Y,Z"),
    ("shared", "bytes of dynamic shared memory"),
    ("seed", "seed of the schedule"),
    ("earlier", "what an earlier kernel that this one overlaps does with a buffer: NAME=reads or NAME=writes"),
];

/// The word in a line with [`BESIDE`] that lets it run on the host.
pub const HOST: &str = "host";

/// The word in a line with [`THEN`] that lets it begin before the end of the kernel before.
pub const PROGRAMMATIC: &str = "programmatic";

/// A mistake in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchLineError {
    /// The place.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// What to write.
    pub help: String,
    /// An insertion that makes it right: its title, its place and its text.
    pub insertion: Option<(String, usize, String)>,
}

impl LaunchLineError {
    /// A mistake without an insertion.
    pub fn new(range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { range, message: message.into(), help: help.into(), insertion: None }
    }
}

/// A claim about memory after a launch, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenClaim {
    /// The range of the line.
    pub range: Range<usize>,
    /// What is claimed.
    pub content: WrittenClaimContent,
}

/// What is claimed about memory after a launch, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenClaimContent {
    /// Values.
    Values {
        /// `hist`, or `hist[3]`.
        target: String,
        /// The range of the values.
        values: Range<usize>,
    },
    /// A condition, with its range.
    Condition(ConditionKind, Range<usize>),
}

/// A part of a line that is not whitespace.
struct LaunchWord<'t> {
    text: &'t str,
    range: Range<usize>,
}

fn words(text: &str, line: Range<usize>) -> impl Iterator<Item = LaunchWord<'_>> {
    let base = text[line.clone()].as_ptr() as usize - line.start;
    text[line].split_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - base;
        LaunchWord { text: word, range: start..start + word.len() }
    })
}

/// The launches of a line, each with its keyword: `check fill grid 2 then scale grid 2` has two.
pub fn launches_of_line(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut since = 0;
    for word in words(text, line) {
        // The word after a keyword is the name of a kernel.
        let begins = matches!(word.text, THEN | BESIDE) && since > 1;
        match all.last_mut().filter(|_| !begins) {
            Some(last) => last.end = word.range.end,
            None => {
                all.push(word.range);
                since = 0;
            }
        }
        since += 1;
    }
    all
}

/// Reads a launch with the keyword `run`, `check`, `beside` or `then`; also returns the range of the kernel's name.
pub fn read_launch(text: &str, line: Range<usize>) -> Result<(KernelLaunch, Range<usize>), LaunchLineError> {
    let mut words = words(text, line.clone());
    let keyword = words.next().map_or("run", |word| word.text);
    let example =
        format!("write `{keyword} kernel grid 2 block 32`, then the arguments, such as `n=u32=5 out=u32[64]`");
    let kernel = words.next().filter(|word| !word.text.contains('='));
    let kernel = kernel.ok_or_else(|| LaunchLineError::new(line.clone(), "expected the name of a kernel", example))?;
    let mut launch = KernelLaunch { kernel: kernel.text.to_owned(), ..KernelLaunch::default() };
    while let Some(word) = words.next() {
        if word.text == HOST && keyword == BESIDE {
            launch.processor = Processor::Host;
            continue;
        }
        if word.text == PROGRAMMATIC && keyword == THEN {
            launch.start = LaunchStart::Programmatic;
            continue;
        }
        if let Some(error) = option_as_argument(&word) {
            return Err(error);
        }
        if word.text.contains('=') || word.text.contains('[') {
            launch.arguments.push(word.text.to_owned());
            continue;
        }
        let value = words.next();
        let value_text = value.as_ref().map_or("", |value| value.text);
        let range = value.as_ref().map_or(word.range.clone(), |value| value.range.clone());
        match word.text {
            "grid" => launch.grid = size(value_text, &word, range)?,
            "block" => launch.block = Some(size(value_text, &word, range)?),
            "cluster" => launch.cluster = Some(size(value_text, &word, range)?),
            "shared" => launch.shared = number(value_text, &word, range)?,
            "seed" if keyword == BESIDE => {
                let help = "one seed is for all kernels: give it to the first one";
                return Err(LaunchLineError::new(word.range, "`seed` is about the first kernel", help));
            }
            "seed" => launch.seed = number(value_text, &word, range)?,
            "earlier" if value_text.contains('=') => launch.earlier.push(value_text.to_owned()),
            "earlier" => return Err(invalid(value_text, &word, range)),
            _ => return Err(unknown(&word, keyword)),
        }
    }
    Ok((launch, kernel.range))
}

/// The mistake of `grid=2`. A parameter may have the name of an option, but its argument has a type.
fn option_as_argument(word: &LaunchWord) -> Option<LaunchLineError> {
    let (name, value) = word.text.split_once('=')?;
    let is_size = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    OPTIONS.iter().find(|(option, _)| *option == name && is_size)?;
    let message = format!("unexpected `=` after `{name}`");
    Some(LaunchLineError::new(word.range.clone(), message, format!("write `{name} {value}`")))
}

fn size(value: &str, option: &LaunchWord, range: Range<usize>) -> Result<program::Dimensions, LaunchLineError> {
    dimensions(value).map_err(|reason| match value {
        "" => invalid(value, option, range),
        _ => LaunchLineError { help: reason, ..invalid(value, option, range) },
    })
}

fn number<N: FromStr>(value: &str, option: &LaunchWord, range: Range<usize>) -> Result<N, LaunchLineError> {
    value.parse().map_err(|_| invalid(value, option, range))
}

fn invalid(value: &str, option: &LaunchWord, range: Range<usize>) -> LaunchLineError {
    let name = option.text;
    let message = match value {
        "" => format!("missing value of `{name}`"),
        value => format!("invalid value `{value}` of `{name}`"),
    };
    let meaning = OPTIONS.iter().find(|(option, _)| *option == name).map_or("a number", |(_, meaning)| meaning);
    LaunchLineError::new(range, message, format!("expected {meaning}"))
}

fn unknown(word: &LaunchWord, keyword: &str) -> LaunchLineError {
    // Where others can follow, they are launches of their own.
    if matches!(word.text, THEN | BESIDE) {
        let message = format!("`{}` is not supported here: the kernel runs alone", word.text);
        let help = format!("write `//! {keyword}` with it in the module, or use `ptx-atomics run --{}`", word.text);
        return LaunchLineError::new(word.range.clone(), message, help);
    }
    let own = match keyword {
        BESIDE => Some(HOST),
        THEN => Some(PROGRAMMATIC),
        _ => None,
    };
    let options = || OPTIONS.iter().map(|(option, _)| *option).chain(own);
    let help = match isa::closest(word.text, options()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<&str> = options().collect();
            format!("expected `{}`, or an argument such as `n=u32=5`", known.join("`, `"))
        }
    };
    LaunchLineError::new(word.range.clone(), format!("unknown option `{}` of a launch", word.text), help)
}

/// Reads a line with the keyword `arg`.
pub fn read_argument(text: &str, line: Range<usize>) -> Result<String, LaunchLineError> {
    let rest = text[line.clone()].trim_start_matches("arg").trim();
    if rest.contains('=') {
        Ok(rest.to_owned())
    } else {
        Err(LaunchLineError::new(line, "expected an argument", "write `arg n=u32=5`, or `arg in=u32[4]=1,2,3,4`"))
    }
}

/// Reads a line with the keyword `expect`.
pub fn read_expectation(text: &str, line: Range<usize>) -> Result<WrittenClaim, LaunchLineError> {
    let help = "write `expect out[3] == 7`, or `expect out == 1, 2, 3` for the first elements";
    let whole = &text[line.clone()];
    let at = whole.find("==").ok_or_else(|| LaunchLineError::new(line.clone(), "expected `==`", help))?;
    let target = whole[..at].trim_start_matches("expect").trim();
    let start = line.start + at + "==".len();
    let start = start + text[start..line.end].len() - text[start..line.end].trim_start().len();
    if target.is_empty() || start == line.end {
        return Err(LaunchLineError::new(line, "expected a buffer or variable, and its values", help));
    }
    let content = WrittenClaimContent::Values { target: target.to_owned(), values: start..line.end };
    Ok(WrittenClaim { content, range: line })
}

/// Reads a line with the keyword `require` or `forbid`.
pub fn read_condition(text: &str, line: Range<usize>, kind: ConditionKind) -> Result<WrittenClaim, LaunchLineError> {
    let whole = &text[line.clone()];
    let condition = whole.trim_start_matches(char::is_alphanumeric).trim_start();
    if condition.is_empty() {
        let help = "write a condition on buffers and variables, such as `out[0] + out[1] == 3`";
        return Err(LaunchLineError::new(line, "expected a condition", help));
    }
    let content = WrittenClaimContent::Condition(kind, line.end - condition.len()..line.end);
    Ok(WrittenClaim { content, range: line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Dimensions;

    #[test]
    fn a_launch_is_read_with_its_options_and_arguments() {
        let text = "run k  grid 2,3 block 32 cluster 2 shared 64 seed 9 n=u32=5 out=u32[8] earlier out=reads";
        let (launch, name) = read_launch(text, 0..text.len()).expect("a launch");
        assert_eq!((launch.kernel.as_str(), &text[name]), ("k", "k"));
        assert_eq!((launch.grid, launch.block), (Dimensions([2, 3, 1]), Some(Dimensions([32, 1, 1]))));
        assert_eq!((launch.shared, launch.seed), (64, 9));
        assert_eq!(launch.arguments, ["n=u32=5", "out=u32[8]"]);
        assert_eq!(launch.earlier, ["out=reads"]);
    }

    #[test]
    fn a_kernel_beside_another_one_may_run_on_the_host() {
        let text = "beside k host n=u32=5";
        let (launch, _) = read_launch(text, 0..text.len()).expect("a launch");
        assert_eq!((launch.processor, launch.arguments), (Processor::Host, vec!["n=u32=5".to_owned()]));
    }

    #[test]
    fn a_line_may_have_several_launches() {
        let of = |text: &str| -> Vec<String> {
            launches_of_line(text, 0..text.len()).into_iter().map(|range| text[range].to_owned()).collect()
        };
        assert_eq!(of("check then grid 2  then b in=out "), ["check then grid 2", "then b in=out"]);
        assert_eq!(of("run a beside then host then c"), ["run a", "beside then host", "then c"]);
        assert_eq!(of("run"), ["run"]);
    }

    #[test]
    fn a_kernel_that_runs_alone_takes_no_other_one() {
        for other in [THEN, BESIDE] {
            let text = format!("run k grid 2 {other} second grid 2");
            let error = read_launch(&text, 0..text.len()).expect_err("another kernel");
            assert_eq!(&text[error.range], other);
            assert_eq!(error.message, format!("`{other}` is not supported here: the kernel runs alone"));
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        let error = |text: &str| {
            let error = read_launch(text, 0..text.len()).expect_err(text);
            (text[error.range.clone()].to_owned(), error.message, error.help)
        };
        let (at, message, help) = error("run k gird 2");
        assert_eq!((&*at, &*message, &*help), ("gird", "unknown option `gird` of a launch", "did you mean `grid`?"));
        assert_eq!(error("run k block").1, "missing value of `block`");
        assert_eq!(error("run k grid 2,x").0, "2,x");
        assert_eq!(error("run k grid 2x2").2, "separate sizes by commas: `2,2`");
        assert_eq!(error("run k grid=2 in=h").2, "write `grid 2`");
        assert!(read_launch("run k seed=u32=2", 0..16).is_ok(), "a parameter");
        assert_eq!(error("run k earlier out").1, "invalid value `out` of `earlier`");
        assert_eq!(error("check k host").1, "unknown option `host` of a launch");
        assert_eq!(error("check").1, "expected the name of a kernel");
        assert_eq!(read_expectation("expect out = 5", 0..14).expect_err("one sign").message, "expected `==`");
    }
}

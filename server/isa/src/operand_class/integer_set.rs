//! Sets of integers, as the rows write them.

use std::fmt;

/// Integers that a constant operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerSet(Integers);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Integers {
    /// The multiples of a number between two bounds.
    Range { least: i128, greatest: i128, multiple: i128 },
    /// `a|b|…`, each an integer.
    List(&'static str),
}

impl IntegerSet {
    /// Reads `a|b|…`, `least..greatest` or `least..greatest/multiple`.
    pub(crate) fn read(text: &'static str) -> Result<IntegerSet, String> {
        let integer =
            |number: &str| number.parse::<i128>().map_err(|_| format!("invalid integer `{number}` in `{text}`"));
        let (bounds, multiple) = text.split_once('/').unwrap_or((text, "1"));
        let Some((least, greatest)) = bounds.split_once("..") else {
            text.split('|').try_for_each(|number| integer(number).map(|_| ()))?;
            return Ok(IntegerSet(Integers::List(text)));
        };
        let (least, greatest, multiple) = (integer(least)?, integer(greatest)?, integer(multiple)?);
        Ok(IntegerSet(Integers::Range { least, greatest, multiple }))
    }

    /// Whether the number is one of them.
    pub fn contains(self, number: i128) -> bool {
        match self.0 {
            Integers::Range { least, greatest, multiple } => {
                (least..=greatest).contains(&number) && number % multiple == 0
            }
            Integers::List(text) => text.split('|').any(|one| one.parse() == Ok(number)),
        }
    }
}

impl fmt::Display for IntegerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Integers::Range { least, greatest, multiple: 1 } => write!(f, "{least} to {greatest}"),
            Integers::Range { least, greatest, multiple } => {
                write!(f, "a multiple of {multiple} from {least} to {greatest}")
            }
            Integers::List(text) => {
                let (rest, last) = text.rsplit_once('|').unwrap_or(("", text));
                match rest {
                    "" => f.write_str(last),
                    rest => write!(f, "{} or {last}", rest.replace('|', ", ")),
                }
            }
        }
    }
}

//! Parses the block of initial values: `{ x=0; P0:r0=1; y @ generic aliases x; }`.

use crate::lexer::LitmusToken;
use crate::parse::reader::{LitmusReader, is_name, number, number_of};
use isa::types::Type;
use memory_model::mbarrier::MbarrierState;
use memory_model::{Alias, Bits, FencedSpace, Observable};
use std::ops::Range;

/// Parses the block.
pub fn read(reader: &mut LitmusReader) {
    if !reader.eat("{") {
        let range = reader.here();
        return reader.error(range, "missing initial values".into(), "add `{ x=0; y=0; }` after the name");
    }
    let mut entry = Vec::new();
    loop {
        let Some(token) = reader.next() else {
            let end = reader.end();
            return reader.error(end..end, "unclosed block of initial values".into(), "add `}` at its end");
        };
        match token.text {
            ";" | "}" => {
                one(reader, &entry);
                entry.clear();
                if token.text == "}" {
                    reader.eat(";");
                    return;
                }
            }
            _ => entry.push(token),
        }
    }
}

/// Parses one initial value: `x=0`, `P0:r0=1`, `0:r0 = x`, `y @ generic aliases x`, each with an optional type.
fn one(reader: &mut LitmusReader, tokens: &[LitmusToken]) {
    let texts: Vec<&str> =
        tokens.iter().map(|token| token.text).filter(|text| !matches!(*text, "[" | "]" | "&")).collect();
    let (ty, texts) = match &texts[..] {
        [first, second, ..] if is_name(first) && is_name(second) && *first != "P" => (Some(*first), &texts[1..]),
        all => (None, all),
    };
    if let Some(ty) = ty.filter(|ty| !is_type(ty)) {
        let range = tokens[0].range.clone();
        return reader.error(
            range,
            format!("unknown type `{ty}`"),
            "remove the type, or write one such as `int` or `uint64_t`",
        );
    }
    let range = tokens.first().map_or(0..0, |first| first.range.start..tokens[tokens.len() - 1].range.end);
    match texts {
        [] => {}
        [name, "@", "mbarrier", count] if is_name(name) => match number(count) {
            Some(count) => {
                let location = reader.location(name);
                reader.test.program.locations[location].init = MbarrierState::new(count).bits();
            }
            None => reader.error(range, "invalid number of arrivals".into(), "write `b @ mbarrier 1`"),
        },
        [name, "@", space @ ("global" | "shared")] if is_name(name) => {
            let location = reader.location(name);
            let space = if *space == "global" { FencedSpace::Global } else { FencedSpace::Shared };
            reader.test.program.locations[location].space = Some(space);
        }
        [name, "@", kind, "aliases", of] => alias(reader, range, name, kind, of),
        [thread, ":", register, rest @ ..] => {
            let Some(thread) = number_of(thread) else {
                return reader.error(range, format!("invalid thread `{thread}`"), "write `P0:r0=0`");
            };
            let Some(value) = value_of(reader, rest) else {
                return reader.error(range, "invalid initial value".into(), "write `P0:r0=0` or `P0:r0=x`");
            };
            let thread = reader.thread(thread);
            let register = reader.register(thread, register);
            if reader.mentioned.contains(&Observable::Register(thread, register)) {
                return reader.error(range, "duplicate initial value".into(), "keep one of them");
            }
            reader.test.program.threads[thread].registers[register].init = value;
            reader.mention(Observable::Register(thread, register));
        }
        [name, rest @ ..] if is_name(name) => {
            let Some(value) = value_of(reader, rest) else {
                return reader.error(range, "invalid initial value".into(), "write `x=0`");
            };
            let location = reader.location(name);
            if reader.mentioned.contains(&Observable::Location(location)) {
                return reader.error(range, "duplicate initial value".into(), "keep one of them");
            }
            reader.test.program.locations[location].init = value;
            reader.mention(Observable::Location(location));
        }
        _ => reader.error(range, "invalid initial value".into(), "write `x=0`, `P0:r0=0` or `y @ generic aliases x`"),
    }
}

/// `y @ generic aliases x`.
fn alias(reader: &mut LitmusReader, range: Range<usize>, name: &str, kind: &str, of: &str) {
    let generic = match kind {
        "generic" => true,
        "texture" | "surface" | "constant" => false,
        _ => {
            let message = format!("unknown proxy `{kind}`");
            return reader.error(range, message, "write `generic`, `texture`, `surface` or `constant`");
        }
    };
    let of = reader.location(of);
    let alias = reader.location(name);
    if reader.test.program.physical(of) == alias {
        return reader.error(range, format!("`{name}` is an alias of itself"), "name another location");
    }
    reader.test.program.locations[alias].alias = Some(Alias { of, generic });
}

/// Whether a word is a type of C or PTX.
fn is_type(word: &str) -> bool {
    let known = ["int", "long", "short", "char", "bool", "unsigned", "signed", "volatile", "const"];
    known.contains(&word) || word.ends_with("_t") || Type::parse(word.trim_start_matches('.')).is_some()
}

/// The value after a name: 0 if there is none, a number, or the address of a location.
fn value_of(reader: &mut LitmusReader, rest: &[&str]) -> Option<Bits> {
    match rest {
        [] => Some(0),
        ["=", text] => number(text).or_else(|| {
            let at = is_name(text).then(|| reader.location(text))?;
            Some(reader.test.program.locations[at].address.into())
        }),
        _ => None,
    }
}

//! The configurations of launches: variables of `cudaLaunchConfig_t`, with the text of their fields.

use crate::cpp::constants::value_end;
use crate::cpp::declaration_tokens::DeclarationTokens;
use crate::cpp::lexer::{CppToken, CppTokenKind};
use std::collections::HashMap;

/// The text of the sizes of a launch; `None` for one that is not said, or said twice.
#[derive(Clone, Copy, Default)]
pub(super) struct Configuration<'t> {
    pub grid: Option<&'t str>,
    pub block: Option<&'t str>,
    /// The dimensions of a cluster.
    pub cluster: Option<[&'t str; 3]>,
    /// The bytes of dynamic shared memory; none if nothing is said.
    pub shared: Option<&'t str>,
}

/// The fields that sizes are in, in their order.
const FIELDS: [&str; 3] = ["gridDim", "blockDim", "dynamicSmemBytes"];

/// A text that is no expression: what has several values is not known.
const SEVERAL: &str = "?";

impl<'t> Configuration<'t> {
    /// The grid, the block and the bytes of shared memory, in this order.
    pub fn positional(written: &[&'t str]) -> Self {
        let [grid, block, shared] = [0, 1, 2].map(|at| written.get(at).copied());
        Self { grid, block, shared, cluster: None }
    }

    fn set(&mut self, field: &str, value: &'t str) {
        let place = match FIELDS.iter().position(|one| *one == field) {
            Some(0) => &mut self.grid,
            Some(1) => &mut self.block,
            Some(_) => &mut self.shared,
            None => return,
        };
        *place = Some(if place.is_some_and(|known| known != value) { SEVERAL } else { value });
    }
}

/// The configurations of a text by their names. A cluster is that of all of them: its size is in an attribute, which a list of attributes names.
pub(super) fn configurations(text: &str) -> HashMap<&str, Configuration<'_>> {
    let mut found: HashMap<&str, Configuration> = HashMap::new();
    let mut cluster: [Option<&str>; 3] = [None; 3];
    let mut tokens = DeclarationTokens::of(text);
    let mut names = [None, None];
    loop {
        let token = tokens.next();
        match token.kind {
            CppTokenKind::End => break,
            CppTokenKind::Word => {
                let name = tokens.word(&token);
                if names[1] == Some("cudaLaunchConfig_t") {
                    let configuration = initial(&mut tokens);
                    name.into_iter().for_each(|name| _ = found.insert(name, configuration));
                }
                names = [names[1], name];
            }
            CppTokenKind::Sign(b'.') => continue,
            CppTokenKind::Sign(b'=') => {
                if let [Some(name), Some(field)] = names {
                    let start = tokens.lexer.at;
                    let mut value = DeclarationTokens { lexer: tokens.lexer.clone() };
                    let written = text[start..value_end(&mut value).range.start].trim();
                    let dimension = ["x", "y", "z"].iter().position(|one| *one == field);
                    match dimension.filter(|_| name == "clusterDim") {
                        Some(at) => cluster[at] = Some(if cluster[at].is_some() { SEVERAL } else { written }),
                        None => found.get_mut(name).into_iter().for_each(|known| known.set(field, written)),
                    }
                }
                names = [None, None];
            }
            _ => names = [None, None],
        }
    }
    let cluster = cluster[0].map(|x| [x, cluster[1].unwrap_or("1"), cluster[2].unwrap_or("1")]);
    found.values_mut().for_each(|one| one.cluster = cluster);
    found
}

/// The initial value of a configuration: `= {grid, block, bytes}`, or by the names of the fields.
fn initial<'t>(tokens: &mut DeclarationTokens<'t>) -> Configuration<'t> {
    let mut ahead = DeclarationTokens { lexer: tokens.lexer.clone() };
    let mut open = ahead.next();
    if open.is(b'=') {
        open = ahead.next();
    }
    if !open.is(b'{') {
        return Configuration::default();
    }
    let parts = ahead.group();
    tokens.lexer = ahead.lexer;
    let text = tokens.lexer.text;
    let written = |part: &[CppToken]| Some(text[part.first()?.range.start..part.last()?.range.end].trim());
    let mut configuration = Configuration::default();
    for (field, part) in FIELDS.iter().zip(&parts).filter(|_| parts.len() > 1) {
        if !part.first().is_some_and(|token| token.is(b'.')) {
            written(part).into_iter().for_each(|value| configuration.set(field, value));
        }
    }
    for part in &parts {
        if let [dot, field, equals, value @ ..] = &part[..]
            && dot.is(b'.')
            && equals.is(b'=')
            && let (Some(field), Some(value)) = (tokens.word(field), written(value))
        {
            configuration.set(field, value);
        }
    }
    configuration
}

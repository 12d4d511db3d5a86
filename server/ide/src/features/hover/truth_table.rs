//! The boolean function of three variables that a table of eight bits is.

/// The tables of `a`, `b` and `c`: bit `i` is the value where `a`, `b` and `c` are the bits 2, 1 and 0 of `i`.
const VARIABLES: [(u8, &str); 3] = [(0xF0, "a"), (0xCC, "b"), (0xAA, "c")];
/// An operator, and what it makes of two tables.
type TableOperator = (char, fn(u8, u8) -> u8);

const OPERATORS: [TableOperator; 3] = [('&', |a, b| a & b), ('|', |a, b| a | b), ('^', |a, b| a ^ b)];

/// An expression, and how many operators it has.
#[derive(Clone)]
struct BooleanExpression {
    /// The operands of its last operator, or the expression itself.
    parts: Vec<String>,
    /// The operator that is evaluated last; none for a variable and a negation.
    last: Option<char>,
    operators: usize,
}

impl BooleanExpression {
    fn variable(name: &str) -> Self {
        BooleanExpression { parts: vec![name.to_owned()], operators: 0, last: None }
    }

    fn text(&self) -> String {
        self.parts.join(&self.last.map_or(String::new(), |operator| format!(" {operator} ")))
    }

    fn negated(&self) -> Self {
        let parts = self.operands(None).into_iter().map(|part| format!("~{part}")).collect();
        BooleanExpression { parts, operators: self.operators + 1, last: None }
    }

    fn joined(&self, operator: char, other: &Self) -> Self {
        let mut parts = self.operands(Some(operator));
        parts.extend(other.operands(Some(operator)));
        parts.sort_by_key(|part| (part.contains('('), part.trim_start_matches('~').to_owned()));
        BooleanExpression { parts, operators: self.operators + other.operators + 1, last: Some(operator) }
    }

    /// Its operands if its last operator is this one, else itself as an operand.
    fn operands(&self, operator: Option<char>) -> Vec<String> {
        if self.last.is_none() || self.last == operator {
            self.parts.clone()
        } else {
            vec![format!("({})", self.text())]
        }
    }
}

/// The function as an expression of `a`, `b` and `c`: a sum of products unless another one is clearly shorter.
pub(super) fn expression(table: u8) -> String {
    match table {
        0x00 => return "0".to_owned(),
        0xFF => return "~0".to_owned(),
        _ => {}
    }
    let (shortest, sum) = (shortest(table), sum_of_products(table));
    if sum.operators <= shortest.operators + 1 { sum.text() } else { shortest.text() }
}

/// An expression with the fewest operators.
fn shortest(table: u8) -> BooleanExpression {
    let mut known: Vec<Option<BooleanExpression>> = vec![None; 256];
    for (variable, name) in VARIABLES {
        known[usize::from(variable)] = Some(BooleanExpression::variable(name));
    }
    let mut count = 0;
    loop {
        if let Some(found) = &known[usize::from(table)] {
            return found.clone();
        }
        count += 1;
        for (at, made) in with_operators(count, &known) {
            known[usize::from(at)].get_or_insert(made);
        }
    }
}

/// The expressions with a number of operators that are made of those with fewer, with their tables.
fn with_operators(count: usize, known: &[Option<BooleanExpression>]) -> Vec<(u8, BooleanExpression)> {
    let known: Vec<(u8, &BooleanExpression)> =
        (0..=255u8).filter_map(|table| Some((table, known[usize::from(table)].as_ref()?))).collect();
    let mut made = Vec::new();
    for (table, one) in &known {
        if one.operators + 1 == count {
            made.push((!table, one.negated()));
        }
        let others = known.iter().filter(|(_, other)| one.operators + other.operators + 1 == count);
        for (other_table, other) in others.filter(|(_, other)| is_in_order(one, other)) {
            let joined = |(sign, operator): TableOperator| (operator(*table, *other_table), one.joined(sign, other));
            made.extend(OPERATORS.map(joined));
        }
    }
    made
}

/// Whether the shorter operand, or the first of two, comes first: operators are commutative.
fn is_in_order(one: &BooleanExpression, other: &BooleanExpression) -> bool {
    (one.operators, &one.parts) < (other.operators, &other.parts)
}

/// The fewest products of variables and negated variables that cover a table.
fn sum_of_products(table: u8) -> BooleanExpression {
    let products: Vec<(u8, BooleanExpression)> = products().filter(|(covered, _)| covered & !table == 0).collect();
    // No product that another one covers is needed.
    let primes: Vec<&(u8, BooleanExpression)> = products
        .iter()
        .filter(|(covered, _)| !products.iter().any(|(other, _)| other != covered && covered & !other == 0))
        .collect();
    let covers = |set: u32| {
        let chosen = primes.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
        chosen.fold(0, |all, (_, (covered, _))| all | covered) == table
    };
    let least = (1u32..1 << primes.len()).filter(|set| covers(*set)).min_by_key(|set| set.count_ones());
    let chosen = primes.iter().enumerate().filter(|(at, _)| least.is_some_and(|set| set >> at & 1 == 1));
    let terms = chosen.map(|(_, (_, product))| product.clone());
    terms.reduce(|all, term| all.joined('|', &term)).unwrap_or_else(|| BooleanExpression::variable("0"))
}

/// Every product of some of the variables, each as it is or negated, with its table.
fn products() -> impl Iterator<Item = (u8, BooleanExpression)> {
    (1u32..27).map(|choice| {
        let mut covered = 0xFF;
        let mut text: Option<BooleanExpression> = None;
        for (at, (table, name)) in VARIABLES.iter().enumerate() {
            let variable = BooleanExpression::variable(name);
            let (table, factor) = match choice / 3u32.pow(at as u32) % 3 {
                0 => continue,
                1 => (*table, variable),
                _ => (!*table, variable.negated()),
            };
            covered &= table;
            text = Some(text.map_or(factor.clone(), |text| text.joined('&', &factor)));
        }
        (covered, text.unwrap_or_else(|| BooleanExpression::variable("~0")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tables_are_written_as_people_write_them() {
        for (table, expected) in [
            (0xE8, "(a & b) | (a & c) | (b & c)"),
            (0x96, "a ^ b ^ c"),
            (0xFE, "a | b | c"),
            (0x80, "a & b & c"),
            (0xEA, "c | (a & b)"),
            (0xCA, "(a & b) | (~a & c)"),
            (0x6A, "c ^ (a & b)"),
            (0x3C, "a ^ b"),
            (0xF0, "a"),
            (0x0F, "~a"),
            (0x00, "0"),
            (0xFF, "~0"),
        ] {
            assert_eq!(expression(table), expected, "{table:#x}");
        }
    }

    /// The value of an expression for values of the variables, read by another rule than it was written by: parentheses first, then the one operator.
    fn value(text: &str, [a, b, c]: [u8; 3]) -> u8 {
        let mut text = text.to_owned();
        while let Some(open) = text.rfind('(') {
            let close = open + text[open..].find(')').expect("a parenthesis");
            let inner = value(&text[open + 1..close], [a, b, c]);
            text.replace_range(open..=close, if inner == 0 { "0" } else { "1" });
        }
        let operand = |word: &str| {
            let is_negated = word.starts_with('~');
            let value = match word.trim_start_matches('~') {
                "a" => a,
                "b" => b,
                "c" => c,
                "1" => 1,
                _ => 0,
            };
            value ^ u8::from(is_negated)
        };
        let words: Vec<&str> = text.split(' ').collect();
        words[1..].chunks(2).fold(operand(words[0]), |all, pair| match pair[0] {
            "&" => all & operand(pair[1]),
            "|" => all | operand(pair[1]),
            _ => all ^ operand(pair[1]),
        })
    }

    #[test]
    fn every_expression_has_its_table() {
        for table in 0..=255 {
            let text = expression(table);
            let made = (0..8u8).fold(0, |all, at| all | value(&text, [at >> 2 & 1, at >> 1 & 1, at & 1]) << at);
            assert_eq!(made, table, "{table:#04x}: {text}");
        }
    }
}

//! Lines and columns as the client counts them: from 1, or from 0 if it says so in `initialize`.

use serde_json::Value;

/// The numbers of the first line and the first column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionBase {
    line: i64,
    column: i64,
}

/// Which way positions are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionDirection {
    /// From those of the client to ours, which begin with 1.
    FromClient,
    /// From ours to those of the client.
    ToClient,
}

impl Default for PositionBase {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

impl PositionBase {
    /// What the arguments of `initialize` say.
    pub fn of(arguments: &Value) -> Self {
        let base = |name: &str| i64::from(arguments[name] != Value::Bool(false));
        Self { line: base("linesStartAt1"), column: base("columnsStartAt1") }
    }

    /// Converts all positions in a message.
    pub fn convert(self, message: &mut Value, conversion: PositionDirection) {
        if self == Self::default() {
            return;
        }
        match message {
            Value::Array(list) => list.iter_mut().for_each(|one| self.convert(one, conversion)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let base = match name.as_str() {
                        "line" | "endLine" => self.line,
                        "column" | "endColumn" => self.column,
                        _ => 1,
                    };
                    match (value.as_i64(), conversion) {
                        (None, _) => self.convert(value, conversion),
                        (Some(number), PositionDirection::FromClient) => {
                            *value = number.saturating_add(1 - base).into()
                        }
                        (Some(number), PositionDirection::ToClient) => *value = number.saturating_sub(1 - base).into(),
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn positions_are_converted_wherever_they_are() {
        let base = PositionBase::of(&json!({ "linesStartAt1": false }));
        let theirs = json!({ "breakpoints": [{ "line": 4, "column": 2, "id": 7 }], "line": 0 });
        let mut message = theirs.clone();
        base.convert(&mut message, PositionDirection::FromClient);
        assert_eq!(message, json!({ "breakpoints": [{ "line": 5, "column": 2, "id": 7 }], "line": 1 }));
        base.convert(&mut message, PositionDirection::ToClient);
        assert_eq!(message, theirs);
    }
}

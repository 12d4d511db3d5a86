//! The widths of Python's types of values.

use super::tree::{PythonNode, children, read};

/// The widths in bits of the types that an expression names, in order; `None` for one that is unknown.
pub(super) fn widths(text: &str, node: PythonNode) -> Vec<Option<u16>> {
    match node.kind() {
        "list" | "tuple" => children(node).into_iter().flat_map(|element| widths(text, element)).collect(),
        _ => vec![width(text, node)],
    }
}

/// The width of one type: `tl.int32`, `T.i32()` or `Int32.mlir_type`.
pub(super) fn width(text: &str, node: PythonNode) -> Option<u16> {
    let node = match node.kind() {
        "call" if node.child_by_field_name("arguments")?.named_children().next().is_none() => {
            node.child_by_field_name("function")?
        }
        "identifier" | "attribute" => node,
        _ => return None,
    };
    let name = read(text, node);
    let name = name.strip_suffix(".mlir_type").unwrap_or(name);
    Some(match name.rsplit('.').next().unwrap_or(name) {
        "int16" | "uint16" | "float16" | "bfloat16" | "Int16" | "Uint16" | "Float16" | "BFloat16" | "i16" | "f16"
        | "bf16" => 16,
        "int32" | "uint32" | "float32" | "Int32" | "Uint32" | "Float32" | "i32" | "f32" => 32,
        "int64" | "uint64" | "float64" | "Int64" | "Uint64" | "Float64" | "i64" | "f64" => 64,
        _ => return None,
    })
}

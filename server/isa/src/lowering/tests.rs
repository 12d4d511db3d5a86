//! What is said of a row that cannot be read, and where.

use crate::lowering::{LoweringTable, RowsFile};

#[test]
fn an_invalid_row_is_reported_with_file_and_line() {
    let error =
        |text| LoweringTable::read(RowsFile { path: "lowering.rows", text }).err().map(|error| error.to_string());
    assert_eq!(error("type  u32  ->\n"), None);
    assert_eq!(error("type  u32  ->\n\ntype  s32\n").as_deref(), Some("lowering.rows:3: missing `->`"));
    assert_eq!(
        error("// A row of no kind.\n  ->  .32\n").as_deref(),
        Some("lowering.rows:2: missing kind before `->`")
    );
}

//! Text, trees and typed views of PTX sources.
//!
//! Knows the shape of PTX. Must not know which instructions exist or which combinations are legal; parsing never fails.

mod source;

pub use source::SourceFile;

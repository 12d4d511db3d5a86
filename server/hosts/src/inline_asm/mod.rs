//! PTX in statements of inline assembly, for every language that has them: the parts of a statement, its text as PTX, and the map
//! between the two. How a statement is found, and how its text is written, belongs to the language.

mod dialect;
mod embedded;
mod fragment;
mod host;
mod host_comment;
mod host_language;
mod literal;
mod ptx_detection;
pub(crate) mod source;
mod statement;
pub(crate) mod template;
mod unread;

pub use dialect::AsmDialect;
pub use embedded::EmbeddedText;
pub use fragment::{AsmFragment, FragmentInstruction};
pub use host::{HostText, ScannedHost};
pub use host_comment::HostComment;
pub use host_language::HostLanguage;
pub use literal::{Formatting, LiteralEscapes, LiteralForm, PartLiteral, PythonLiteral};
pub use statement::{ArchGuard, AsmOperand, AsmStatement, Branches, Clobber, LiteralSource, TemplatePart, ValueList};
pub use template::{MissingPart, Template, TemplateError, WordHole};
pub use unread::{FoundStatements, UnknownText, UnreadCode, UnreadReason, UnreadStatements};

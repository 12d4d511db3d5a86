//! The driver: it runs the rules in one walk over a module.

mod checked_item;
mod early_flow;
mod instruction;
mod lint_driver;
mod lint_module;
mod on_data_flow;
mod uncertain;

pub(crate) use checked_item::CheckedItem;
pub(crate) use lint_driver::LintDriver;
pub(crate) use lint_module::LintModule;

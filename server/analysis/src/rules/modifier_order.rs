//! Modifiers in another order than the one that is printed everywhere. Style: the assembler takes any order.

use super::rule;
use crate::{Edit, Finding, Fix};
use isa::Instruction;
use syntax::Opcode;

/// Offers the conventional order of a legal instruction.
pub(crate) fn check(opcode: &Opcode, resolved: &Instruction, findings: &mut Vec<Finding>) {
    let order = resolved.conventional();
    let Some(first) = order.iter().enumerate().position(|(place, at)| place != *at) else { return };
    let rule = rule("modifier-order").expect("the rule is registered");
    let words: Vec<&str> = order.iter().map(|at| &*opcode.modifiers[*at].text).collect();
    let conventional = format!("{}.{}", opcode.mnemonic.text, words.join("."));
    let range = opcode.at(Some(first)).start..opcode.range.end;
    let edits = vec![Edit { range: opcode.range.clone(), text: conventional.clone() }];
    findings.push(Finding {
        code: rule.code,
        severity: rule.severity,
        range,
        message: "these modifiers are usually written in another order".to_owned(),
        help: format!("write `{conventional}`; both mean the same"),
        related: Vec::new(),
        fixes: vec![Fix { title: format!("write `{conventional}`"), edits }],
    });
}

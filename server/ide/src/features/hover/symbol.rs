//! Hover on everything but opcodes: registers, symbols, labels, directives, types, special registers and literals.

use crate::Hover;
use crate::features::names::{NameAccess, NameToken, meaning, name_at, occurrences, scopes_for, type_words};
use crate::features::{describe_architecture, literal};
use diagnostics::Snapshot;
use isa::{directives, reference, special};
use std::ops::Range;
use syntax::{
    DeclarationKind, DeclarationSite, DemangledName, ResolvedName, Scopes, Symbol, TokenClass, demangle, tokens_in,
};

/// The hover at an offset, except on opcodes.
pub fn symbol_hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let file = &snapshot.file;
    let offset = file.clamp(offset);
    let header = file.header();
    let touches = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    if let Some(target) = header.targets.iter().find(|target| touches(&target.range)) {
        let markdown = describe_architecture(&target.text).or_else(|| directive(&target.text))?;
        return Some(Hover::new(target.range.clone(), markdown));
    }
    if let Some(named) = name_at(file, offset) {
        let markdown = name(snapshot, &named)?;
        return Some(Hover::new(named.range, markdown));
    }
    let mut found = None;
    let mut last: Option<Range<usize>> = None;
    tokens_in(file, offset.saturating_sub(1)..offset, |token| {
        let previous = last.replace(token.range.clone());
        if token.range.start <= offset && offset <= token.range.end {
            let text = file.slice(&token.range);
            let markdown = match token.kind {
                TokenClass::Integer | TokenClass::Float => literal::describe(&text),
                TokenClass::Directive | TokenClass::Type => directive(&text),
                TokenClass::Selector => previous.and_then(|of| part(&file.slice(&of), &text)),
                _ => None,
            };
            found = markdown.map(|markdown| Hover::new(token.range, markdown)).or(found.take());
        }
    });
    found
}

/// A directive, a type, or an option of `.target`.
fn directive(word: &str) -> Option<String> {
    Some(format!("**{word}**\n\n{}", reference::directive_details(directives::find(word)?).trim_end()))
}

fn part(name: &str, selector: &str) -> Option<String> {
    let special = special::find(name).filter(|special| special.parts)?;
    let summary = reference::first_sentence(special.summary);
    Some(format!("`{name}{selector}`, `{}`\n\n{summary} Its `{}` component.", special.ty, &selector[1..]))
}

fn name(snapshot: &Snapshot, named: &NameToken) -> Option<String> {
    let scopes = scopes_for(snapshot, named);
    if let Some(meant) = meaning(&scopes, named) {
        return Some(declared(snapshot, &scopes, meant));
    }
    if named.text == "WARP_SZ" {
        return Some("`WARP_SZ`\n\nThe number of threads in a warp: 32 on every target.".to_owned());
    }
    if let Some(demangled) = demangle(&named.text) {
        return Some(demangled_name(&demangled));
    }
    let special = special::find(&named.text)?;
    let details = reference::special_register_details(special);
    Some(format!("`{}`, `{}`, special register\n\n{}", named.text, special.ty, details.trim_end()))
}

fn declared(snapshot: &Snapshot, scopes: &Scopes, meant: ResolvedName) -> String {
    let symbol = &scopes.symbols()[meant.symbol];
    let one = symbol.declarations.iter().find(|one| one.definition).unwrap_or(&symbol.declarations[0]);
    let code = format!("```ptx\n{}\n```", head(snapshot, one));
    let more = match symbol.kind() {
        DeclarationKind::Register => register(symbol, meant.member) + &policies(snapshot, symbol, meant),
        DeclarationKind::Label => jumps(snapshot, symbol, meant),
        DeclarationKind::Variable if symbol.is_parameter() => "A parameter.".to_owned(),
        DeclarationKind::Variable => directives::find(&one.declaration.space.text)
            .map(|directive| reference::first_sentence(directive.summary).to_owned())
            .unwrap_or_default(),
        DeclarationKind::Function if symbol.declarations.iter().any(|one| one.definition) => String::new(),
        DeclarationKind::Function => "Defined in another module.".to_owned(),
    };
    let demangled = demangle(symbol.name()).map(|name| demangled_name(&name)).unwrap_or_default();
    [code, demangled, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn demangled_name(name: &DemangledName) -> String {
    format!("Demangled: `{}`", name.full)
}

/// The text of a single declaration, without body, other names of its directive, and redundant whitespace.
fn head(snapshot: &Snapshot, one: &DeclarationSite) -> String {
    let declaration = &one.declaration;
    let text = match declaration.kind {
        DeclarationKind::Label => format!("{}:", declaration.name.text),
        DeclarationKind::Function => {
            let rope = snapshot.file.text();
            let text = rope.byte_slice(one.whole.clone());
            // Bodies are long, heads are not.
            let head: String = text.chars().take(4000).take_while(|c| !matches!(c, '{' | ';')).collect();
            head
        }
        _ => {
            let count = declaration.count.map_or(String::new(), |count| format!("<{count}>"));
            let size = dimensions(snapshot, one);
            format!("{} {}{count}{size}", type_words(declaration), declaration.name.text)
        }
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")")
}

/// The `[256]` that directly follows a name.
fn dimensions(snapshot: &Snapshot, one: &DeclarationSite) -> String {
    let end = one.declaration.name.range.end;
    let rest = snapshot.file.text().byte_slice(end..one.whole.end.max(end));
    let text: String = rest.chars().take(80).collect();
    let mut found = String::new();
    let mut rest = text.trim_start();
    while let Some((inside, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        found += &format!("[{}]", inside.trim());
        rest = after.trim_start();
    }
    found
}

fn register(symbol: &Symbol, member: Option<u64>) -> String {
    let count = symbol.first().count.unwrap_or_default();
    let name = symbol.name();
    match (member, symbol.is_parameter()) {
        (Some(member), _) => format!("Register `{name}{member}` of `{name}0` to `{name}{}`.", count.saturating_sub(1)),
        (None, true) => "A parameter in a register.".to_owned(),
        (None, false) if symbol.first().count.is_some() => match count {
            0 => "An empty range of registers.".to_owned(),
            count => format!("The registers `{name}0` to `{name}{}`.", count - 1),
        },
        (None, false) => "A register.".to_owned(),
    }
}

/// The `createpolicy` instructions that write a register.
fn policies(snapshot: &Snapshot, symbol: &Symbol, meant: ResolvedName) -> String {
    let file = &snapshot.file;
    let writes = occurrences(snapshot, symbol, meant).into_iter().filter(|one| one.access == NameAccess::Write);
    let lines = writes.filter_map(|one| {
        let opcode = file.instruction_at(one.range.start)?.opcode();
        let line = file.position(one.range.start).line + 1;
        let text = file.slice(&opcode.range);
        (opcode.mnemonic.text == "createpolicy").then(|| format!("\n- Cache policy from line {line}: `{text}`"))
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn jumps(snapshot: &Snapshot, symbol: &Symbol, meant: ResolvedName) -> String {
    let uses = occurrences(snapshot, symbol, meant).into_iter().filter(|one| one.access != NameAccess::Declare).count();
    match uses {
        0 => "No references.".to_owned(),
        1 => "1 reference.".to_owned(),
        uses => format!("{uses} references."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::{marked, snapshot};

    fn hover(text: &str) -> Option<String> {
        let (plain, marks) = marked(text);
        symbol_hover(&snapshot(&plain), marks[0]).map(|hover| hover.markdown)
    }

    #[test]
    fn declared_names_show_their_declaration() {
        let register = hover(".entry k() { .reg .b32 %r<9>, x; add.u32 %r1, $0%r2, 1; }").unwrap();
        assert_eq!(register, "```ptx\n.reg .b32 %r<9>\n```\n\nRegister `%r2` of `%r0` to `%r8`.");
        let shared = hover(".shared .align 4 .b8 tile[ 256 ][2]; .entry k() { mov.u32 a, ti$0le; }").unwrap();
        assert!(shared.starts_with("```ptx\n.shared .b8 tile[256][2]\n```"), "{shared}");
        let function =
            hover(".func (.reg .b32 r) f(\n .param .u64 p\n)\n{ ret; } .entry k() { call (a), f$0, (b); }").unwrap();
        assert_eq!(function, "```ptx\n.func (.reg .b32 r) f(.param .u64 p)\n```");
        let label = hover(".entry k() { bra L; bra L; $0L: ret; }").unwrap();
        assert_eq!(label, "```ptx\nL:\n```\n\n2 references.");
    }

    #[test]
    fn predefined_names_have_pages() {
        assert!(hover(".entry k() { mov.u32 a, %la$0neid; }").unwrap().contains("0 to 31"));
        assert!(hover(".entry k() { mov.u32 a, %tid.$0x; }").unwrap().contains("component"));
        assert!(hover(".entry k() .maxnt$0id 128 { }").unwrap().contains("CTA"));
        assert!(hover(".entry k() { .reg .pr$0ed p; }").unwrap().contains("predicate"));
        let directive = hover(".entry k() .maxnt$0id 128 { }").unwrap();
        assert!(directive.contains("#performance-tuning-directives-maxntid") && directive.contains("PTX 1.3"));
        assert!(hover(".entry k() { mov.u32 a, %sm$0id; }").unwrap().contains("#special-registers-smid"));
        assert!(hover(".version 9.0\n.target sm_90, de$0bug\n").unwrap().contains("debug information"));
        assert!(hover(".entry k() { mov.f32 a, 0f3F8$000000; }").unwrap().contains("1.0"));
        assert!(hover(".entry k() { mov.b32 a, WARP$0_SZ; }").unwrap().contains("32"));
        assert_eq!(hover(".entry k() { mov.b32 $0a, 1; }"), None);
        assert_eq!(hover("// .en$0try"), None);
    }

    #[test]
    fn a_cache_policy_is_followed_to_where_it_was_made() {
        let text = ".entry k() { .reg .b64 a, p; .reg .b32 r;\ncreatepolicy.fractional.L2::evict_last.b64 p, 0.5;\n\
                    red.global.add.L2::cache_hint.u32 [a], r, $0p; }";
        let said = hover(text).unwrap();
        assert!(
            said.ends_with("A register.\n\n- Cache policy from line 2: `createpolicy.fractional.L2::evict_last.b64`"),
            "{said}"
        );
        assert!(!hover(&text.replace("[a]", "[$0a]").replace("$0p", "p")).unwrap().contains("policy"));
    }

    #[test]
    fn an_own_register_hides_a_special_one() {
        assert!(
            hover(".entry k() { .reg .b64 %laneid; mov.b64 $0%laneid, 1; }").unwrap().contains(".reg .b64 %laneid")
        );
    }
}

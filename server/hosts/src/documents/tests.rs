use crate::inline_asm::{HostLanguage, HostText};

/// The PTX texts of a document.
fn templates(host: HostLanguage, text: &str) -> Vec<String> {
    let host = HostText::new(host, text);
    let all: Vec<_> = host.within(0..text.len()).collect();
    all.iter().map(|fragment| fragment.template.text[fragment.template.body.clone()].to_owned()).collect()
}

const NOTEBOOK: &str = r##"{"cells": [
 {"cell_type": "markdown", "source": ["llvm.inline_asm(None, [p], \"red.a;\", \"l\")"]},
 {"cell_type": "code", "source": ["%matplotlib inline\n", "llvm.inline_asm(None, [p],\n", "  \"red.global.add.u32 [$0], 1;\\n\",\n", " \"l\")"]},
 {"cell_type": "code", "source": "k = RawKernel(r'''__device__ void f() { asm volatile(\"membar.gl;\"); }''')\n"},
 {"cell_type": "code", "source": ["%%cuda\n", "__global__ void k() { asm volatile(\"bar.sync 0;\\n\"); }"]}
], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"##;

#[test]
fn code_cells_of_notebooks_are_read_through_the_escapes() {
    let found = templates(HostLanguage::Notebook, NOTEBOOK);
    assert_eq!(found, ["red.global.add.u32 [$0], 1;\n", "membar.gl;", "bar.sync 0;\n"]);
    let host = HostText::new(HostLanguage::Notebook, NOTEBOOK);
    for word in ["add.u32", "membar.gl", "bar.sync"] {
        let at = NOTEBOOK.find(word).expect("in the text");
        let (fragment, inner) = host.at(at).expect("PTX");
        assert!(fragment.template.text[inner..].starts_with(word), "{word}");
        let (range, text) = fragment.template.edit(&(inner..inner + 3), "x").expect("is written there");
        assert_eq!((range, text.as_str()), (at..at + 3, "x"));
    }
    let at = NOTEBOOK.find("add.u32").expect("in the text");
    let (fragment, inner) = host.at(at).expect("PTX");
    let (_, text) = fragment.template.edit(&(inner..inner), "\n\"").expect("is written there");
    assert_eq!(text, r#"\\n\\\""#, "escapes of Python in those of JSON");
}

#[test]
fn the_cells_of_a_notebook_share_their_names() {
    let text = r##"{"cells": [
 {"cell_type": "code", "source": ["!pip install x\n", "from m import inline_asm as call\n", "KIND = 'or'"]},
 {"cell_type": "markdown", "source": ["KIND = 'and'"]},
 {"cell_type": "code", "source": ["%%time\n", "BODY = \"red.global.\" + KIND + \".b32 [$0], 1;\""]},
 {"cell_type": "code", "source": ["%%cuda\n", "KIND = 1; asm volatile(\"membar.gl;\");"]},
 {"cell_type": "code", "source": ["x = (\n", "llvm.inline_asm(None, [], 'bar.sync 1;', '')"]},
 {"cell_type": "code", "source": ["def f(p):\n", "    return call(None, [p], BODY, \"l\")"]},
 {"cell_type": "code", "source": "KIND = 'xor'\nllvm.inline_asm(None, [p], f'red.global.{KIND}.b32 [$0], 1;', 'l')"}
]}"##;
    let found = templates(HostLanguage::Notebook, text);
    assert_eq!(found, ["membar.gl;", "bar.sync 1;", "red.global.or.b32 [$0], 1;", "red.global.xor.b32 [$0], 1;"]);
    let host = HostText::new(HostLanguage::Notebook, text);
    let at = text.find("b32 [$0]").expect("in the text");
    let (fragment, inner) = host.at(at).expect("the template in another cell");
    let (range, edit) = fragment.template.edit(&(inner..inner + 3), "u32").expect("is written there");
    assert_eq!((range, edit.as_str()), (at..at + 3, "u32"));
}

#[test]
fn what_is_no_notebook_has_no_statements() {
    for text in ["", "{", "[]", "{\"cells\": [{}]} inline_asm", &NOTEBOOK.replace("source", "sauce")] {
        assert!(templates(HostLanguage::Notebook, text).is_empty(), "{text}");
    }
}

#[test]
fn code_blocks_of_markdown_are_read_by_their_language() {
    let text = r#"asm("membar.cta;");
```cuda
asm volatile("membar.gl;");
```
- item
  ~~~python
  x = f()
  llvm.inline_asm(None, [], "bar.sync 0;", "")
  ~~~
```ptx
.version 8.0
.target sm_90
```
```ptx
add.type d, a, b;
```
````text
```cuda
asm volatile("membar.sys;");
```
````
``` {.cpp}
asm volatile("bar.sync 1;");
"#;
    let found = templates(HostLanguage::Markdown, text);
    assert_eq!(found, ["membar.gl;", "bar.sync 0;", ".version 8.0\n.target sm_90\n"]);
}

#[test]
fn any_document_is_scanned() {
    let snippets = [
        "```",
        "cuda\n",
        "python\n",
        "ptx\n",
        "~~~~",
        "\n",
        "  ",
        "asm(\"bar.sync 0;\");",
        "é",
        ".version 8.0 .target",
    ];
    let mut rng = fastrand::Rng::with_seed(0x4d);
    for _ in 0..2000 {
        let text: String = (0..rng.usize(..16)).map(|_| snippets[rng.usize(..snippets.len())]).collect();
        templates(HostLanguage::Markdown, &text);
        let mut broken = NOTEBOOK.to_owned();
        let (from, to) = (rng.usize(..broken.len()), rng.usize(..broken.len()));
        broken.replace_range(from.min(to)..from.max(to), "\\u00");
        templates(HostLanguage::Notebook, &broken);
    }
}

#[test]
fn instructions_in_blocks_of_ptx_are_read_and_descriptions_of_syntax_are_not() {
    let text =
        "```ptx\nld.global.u32 %r1, [%rd1];\n```\n\n```ptx\nmma.sync...\n```\n\n```ptx\nld{.weak}.type d, [a];\n```\n";
    assert_eq!(templates(HostLanguage::Markdown, text), ["ld.global.u32 %r1, [%rd1];\n"]);
}

//! `ptxAtomics.run`: kernels that editors run.

use crate::client::Client;
use serde_json::{Value, json};

const URI: &str = "file:///count.ptx";

const MODULE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 hist, .param .u32 n)
{
	.reg .u64 %rd<4>;
	.reg .u32 %r<4>;
	.reg .pred %p;
	ld.param.u64 %rd1, [hist];
	ld.param.u32 %r3, [n];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p, %r1, %r3;
	@%p bra done;
	and.b32 %r2, %r1, 3;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	red.global.add.u32 [%rd3], 1;
done:
	ret;
}
";

/// The lines of an answer, by their numbers.
fn line(answer: &Value, text: &str) -> Value {
    let number = MODULE.lines().position(|line| line.trim() == text).expect("the line");
    let lines = answer["lines"].as_array().expect("lines");
    lines.iter().find(|line| line["range"]["start"]["line"] == number).cloned().unwrap_or_default()
}

fn run(client: &mut Client, launch: &str) -> Value {
    let argument = json!({"uri": URI, "kernel": "count", "launch": launch, "thread": {"cta": 0, "thread": 5}});
    let asked = json!({"command": "ptxAtomics.run", "arguments": [argument]});
    client.request("workspace/executeCommand", asked).expect("a run")
}

#[test]
fn a_lens_on_a_kernel_carries_a_launch_that_runs() {
    let mut client = Client::with(json!({"experimental": {"kernelRuns": true}}));
    client.open(URI, 1, MODULE);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})).expect("lenses");
    let is_run = |lens: &&Value| lens["command"]["command"] == "ptxAtomics.run";
    let lens = lenses.as_array().expect("a list").iter().find(is_run).expect("a lens").clone();
    assert_eq!(
        (&lens["command"]["title"], &lens["range"]["start"]),
        (&json!("Run"), &json!({"line": 3, "character": 16}))
    );
    assert_eq!(lens["command"]["arguments"][0]["launch"], "grid 1 block 32 hist=u32[32] n=u32=32");
    let asked = json!({"command": "ptxAtomics.run", "arguments": lens["command"]["arguments"]});
    let answer = client.request("workspace/executeCommand", asked).expect("a run");
    assert_eq!((&answer["kernel"], &answer["problems"]), (&json!("count"), &json!([])));
    client.leave();
}

#[test]
fn a_lens_proposes_the_launch_of_a_comment_and_a_number_needs_no_type() {
    let mut client = Client::with(json!({"experimental": {"kernelRuns": true, "kernelChecks": true}}));
    let lenses = |client: &mut Client, comment: &str| -> Vec<Value> {
        client.open(URI, 1, &MODULE.replace(".visible", &format!("{comment}\n.visible")));
        let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})).expect("lenses");
        let lenses = lenses.as_array().expect("a list").iter();
        lenses.map(|lens| lens["command"]["arguments"][0]["launch"].clone()).filter(Value::is_string).collect()
    };
    let run = "block 8 hist=u32[4] n=100";
    assert_eq!(lenses(&mut client, &format!("//! run count {run}"))[0], run);
    assert_eq!(lenses(&mut client, "//! check count block 2 hist=u32[4] n=2"), ["block 2 hist=u32[4] n=2"; 2]);
    client.open(URI, 1, MODULE);
    let answer = self::run(&mut client, run);
    assert_eq!((&answer["problems"], &answer["memory"][0]["after"][0]), (&json!([]), &json!("2")));
    client.leave();
}

#[test]
fn a_problem_leads_to_the_source_line_of_its_instruction() {
    let folder = std::env::temp_dir().join(format!("ptx-atomics-source-lines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("count.cu"), "\n\natomicAdd(&hist[threadIdx.x & 3], 1);\n").expect("a source");
    let uri = |name: &str| format!("file://{}", folder.join(name).display());
    let text = MODULE.replace("\tred.global", "\t.loc 1 3 1\n\tred.global") + ".file 1 \"count.cu\"\n";
    let mut client = Client::with(json!({"experimental": {"kernelRuns": true}}));
    client.open(&uri("count.ptx"), 1, &text);
    let argument = json!({"uri": uri("count.ptx"), "kernel": "count", "launch": "block 4 hist=u32[2] n=4"});
    let asked = json!({"command": "ptxAtomics.run", "arguments": [argument]});
    let answer = client.request("workspace/executeCommand", asked).expect("a run");
    let source = &answer["problems"][0]["sources"][0];
    let end = |value: &Value| value["uri"].as_str().and_then(|uri| uri.rsplit('/').next()).map(str::to_owned);
    assert_eq!((end(source), &source["range"]["start"]["line"]), (Some("count.cu".to_owned()), &json!(2)));
    // The hover and the definition of the instruction lead there, and its line leads back.
    let line = text.lines().position(|line| line.contains("red.global")).expect("the line");
    let place = |uri: String, line: usize, character: usize| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let hover = client.request("textDocument/hover", place(uri("count.ptx"), line, 2)).expect("a hover");
    let said = hover["contents"]["value"].as_str().expect("text");
    assert!(
        said.starts_with("Generated from [count.cu:3](") && said.contains("`atomicAdd(&hist[threadIdx.x & 3], 1);`"),
        "{said}"
    );
    let found = client.request("textDocument/definition", place(uri("count.ptx"), line, 2)).expect("a definition");
    assert_eq!((end(&found[0]), &found[0]["range"]["start"]["line"]), (Some("count.cu".to_owned()), &json!(2)));
    let back = client.request("textDocument/implementation", place(uri("count.cu"), 2, 0)).expect("its PTX");
    assert_eq!((end(&back[0]), &back[0]["range"]["start"]["line"]), (Some("count.ptx".to_owned()), &json!(line)));
    client.open(&uri("count.cu"), 1, "\n\natomicAdd(&hist[threadIdx.x & 3], 1);\n");
    let hover = client.request("textDocument/hover", place(uri("count.cu"), 2, 0)).expect("a hover");
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("red.global.add.u32 [%rd3], 1;")),
        "{hover}"
    );
    client.leave();
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_check_says_which_executions_have_problems_and_which_steps_lead_there() {
    let mut client = Client::with(json!({"experimental": {"kernelChecks": true}}));
    let racy = MODULE.replace("red.global.add.u32 [%rd3], 1;", "st.global.u32 [%rd3], %r1;");
    client.open(URI, 1, MODULE);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})).expect("lenses");
    let is_check = |lens: &&Value| lens["command"]["command"] == "ptxAtomics.check";
    let lens = lenses.as_array().expect("a list").iter().find(is_check).expect("a lens").clone();
    assert_eq!(lens["command"]["title"], "Check");
    assert_eq!(lens["command"]["arguments"][0]["launch"], "grid 2 block 2 hist=u32[4] n=u32=4");
    let mut check = |launch: &str, text: &str| {
        client.open(URI, 1, text);
        let argument = json!({"uri": URI, "kernel": "count", "launch": launch});
        let asked = json!({"command": "ptxAtomics.check", "arguments": [argument]});
        client.request("workspace/executeCommand", asked).expect("a check")
    };
    let proved = check("grid 2 block 2 hist=u32[4] n=u32=4", MODULE);
    assert_eq!((&proved["verdict"], &proved["problems"]), (&json!("proved"), &json!([])));
    let refuted = check("grid 2 block 2 hist=u32[4] n=u32=4", &racy);
    let problem = &refuted["problems"][0];
    assert_eq!((&refuted["verdict"], &problem["range"]["start"]["line"]), (&json!("refuted"), &json!(16)));
    assert!(problem["message"].as_str().is_some_and(|text| text.contains("data race")), "{problem}");
    let related = problem["related"].as_array().expect("related places");
    assert!(related.len() > 1 && related.iter().all(|one| one["range"].is_object()), "{problem}");
    // Both kernels of a stream are explored: the second one alone races.
    let then = |second: &str| format!("grid 1 block 1 hist=u32[4] n=u32=4 then count {second} n=u32=4");
    for (second, verdict) in [("grid 1 block 1", "proved"), ("grid 2 block 2", "refuted")] {
        let found = check(&then(second), &racy);
        assert_eq!(found["verdict"], verdict, "{second}: {found}");
    }
    client.leave();
}

#[test]
fn a_run_says_what_each_line_did() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, MODULE);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})).expect("lenses");
    assert!(!lenses.to_string().contains("ptxAtomics.run"), "no lens for clients that do not ask for it: {lenses}");
    let answer = run(&mut client, "grid 2 block 32 hist=u32[6] n=u32=20");
    let memory = &answer["memory"][0];
    assert_eq!((&memory["name"], &memory["type"]), (&json!("hist"), &json!("u32")));
    assert_eq!(memory["before"], json!(["0", "0", "0", "0", "0", "0"]));
    assert_eq!(memory["after"], json!(["10", "10", "10", "10", "0", "0"]));
    assert_eq!(memory["changed"], json!([0, 1, 2, 3]));
    let thread = line(&answer, "mov.u32 %r1, %tid.x;");
    assert_eq!((&thread["executions"], &thread["threads"], &thread["divergent"]), (&json!(2), &json!(64), &json!(0)));
    assert_eq!(thread["registers"], json!([{"name": "%r1", "value": "5"}]));
    let atomic = line(&answer, "red.global.add.u32 [%rd3], 1;");
    assert_eq!((&atomic["executions"], &atomic["threads"], &atomic["divergent"]), (&json!(2), &json!(40), &json!(2)));
    let contention = json!({"executions": 2, "accesses": 40, "mostLanes": 5, "transactions": 10, "heat": 1});
    assert_eq!(atomic["contention"], contention);
    client.leave();
}

#[test]
fn a_run_reports_mistakes_with_their_places_and_errors_as_messages() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, MODULE);
    let answer = run(&mut client, "block 32 hist=u32[2] n=u32=20");
    let problem = &answer["problems"][0];
    assert_eq!((&problem["code"], &problem["range"]["start"]["line"]), (&json!("out-of-bounds"), &json!(16)));
    assert_eq!(problem["thread"], json!({"cta": 0, "thread": 2}));
    let elsewhere = json!({"uri": URI, "kernel": "count", "launch": "block 32 hist=u32[4] n=u32=20", "thread": {"cta": 0, "thread": 32}});
    let asked = json!({"command": "ptxAtomics.run", "arguments": [elsewhere]});
    assert_eq!(client.error_code("workspace/executeCommand", asked), -32803, "there is no such thread");
    for launch in ["grid", "block 32", "block 32 hist=u32[2] n=u64=1", "block 4096 hist=u32[2] n=u32=1"] {
        let argument = json!({"uri": URI, "kernel": "count", "launch": launch});
        let asked = json!({"command": "ptxAtomics.run", "arguments": [argument]});
        assert_eq!(client.error_code("workspace/executeCommand", asked), -32803, "{launch}");
    }
    let without_launch = json!({"command": "ptxAtomics.run", "arguments": [{"uri": URI, "kernel": "count"}]});
    assert_eq!(client.error_code("workspace/executeCommand", without_launch), -32602);
    client.leave();
}

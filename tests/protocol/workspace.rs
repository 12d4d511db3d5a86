//! Diagnostics and symbols of files that are not open.

use crate::client::Client;
use crate::sample_modules::{CLEAN, with_error};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A folder of this test's own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ptx-atomics-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("can be made");
        Folder(path)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.join(file), text).expect("can be written");
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.0.display()).trim_end_matches('/').to_owned()
    }

    fn client(&self) -> Client {
        let mut client = Client::start();
        let folder = json!({"uri": self.uri(""), "name": "work"});
        client.initialize(json!({"capabilities": {"textDocument": {"diagnostic": {}}}, "workspaceFolders": [folder]}));
        client
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Name, kind and codes of each report, and what to send with the next request.
fn ask(client: &mut Client, former: &Value) -> (Vec<(String, String, Vec<String>)>, Value) {
    let answer = client.request("workspace/diagnostic", json!({"previousResultIds": former})).expect("succeeds");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (mut reports, mut ids) = (Vec::new(), Vec::new());
    for item in answer["items"].as_array().expect("a list") {
        let name = text(&item["uri"]).rsplit('/').next().unwrap_or_default().to_owned();
        let codes = item["items"].as_array().into_iter().flatten().map(|one| text(&one["code"])).collect();
        reports.push((name, text(&item["kind"]), codes));
        if item["resultId"].is_string() {
            ids.push(json!({"uri": item["uri"], "value": item["resultId"]}));
        }
    }
    (reports, Value::from(ids))
}

#[test]
fn an_open_file_has_the_macros_of_those_that_include_it_after_edits_too() {
    let folder = Folder::new("included");
    folder.write("all.h", "#define ORDER \".acquire\"\n#include \"op.inc\"\n");
    let text =
        "__device__ void f(int* p) { asm(\"red\" ORDER \".gpu.global.add.s32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }\n";
    folder.write("op.inc", text);
    let mut client = folder.client();
    let uri = folder.uri("op.inc");
    let document = json!({"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let codes = |found: Vec<Value>| -> Vec<(Value, Value)> {
        found.iter().map(|one| (one["code"].clone(), one["range"]["start"]["character"].clone())).collect()
    };
    let wrong = [(json!("illegal-modifier"), json!(text.find("ORDER")))];
    let pull = |client: &mut Client| {
        let report =
            client.request("textDocument/diagnostic", json!({"textDocument": {"uri": uri}})).expect("a report");
        codes(report["items"].as_array().expect("a list").clone())
    };
    assert_eq!(pull(&mut client), wrong);
    let start = json!({"line": 0, "character": 0});
    client.change(&uri, 2, json!([{"range": {"start": start, "end": start}, "text": "// f\n"}]));
    assert_eq!(pull(&mut client), wrong, "an edit");
    client.change(&uri, 3, json!([{"text": text}]));
    assert_eq!(pull(&mut client), wrong, "a new text");
    client.leave();
}

fn report(name: &str, kind: &str, codes: &[&str]) -> (String, String, Vec<String>) {
    (name.to_owned(), kind.to_owned(), codes.iter().map(|code| (*code).to_owned()).collect())
}

#[test]
fn cpp_files_are_reported_unless_the_client_switches_cuda_off() {
    let folder = Folder::new("workspace-cuda");
    folder.write("a.ptx", &with_error());
    folder.write("b.cuh", "__device__ void f() { asm volatile(\"red.global.or.u32 [%0], 1;\" :: \"l\"(p)); }\n");
    let mut client = folder.client();
    let files = |client: &mut Client| -> Vec<String> {
        ask(client, &json!([])).0.into_iter().filter(|(_, _, codes)| !codes.is_empty()).map(|(name, ..)| name).collect()
    };
    assert_eq!(files(&mut client), ["a.ptx", "b.cuh"]);
    let off = json!({"settings": {"ptxAtomics": {"cuda": {"enable": false}}}});
    client.notify("workspace/didChangeConfiguration", off);
    assert_eq!(files(&mut client), ["a.ptx"]);
    client.leave();
}

#[test]
fn python_files_are_reported_unless_the_client_switches_python_off() {
    let folder = Folder::new("workspace-python");
    folder.write("a.ptx", &with_error());
    folder.write("b.py", "llvm.inline_asm(None, [p, x], \"red.global.or.u32 [$0], $1;\", \"l,r\")\n");
    let mut client = folder.client();
    let files = |client: &mut Client| -> Vec<String> {
        ask(client, &json!([])).0.into_iter().filter(|(_, _, codes)| !codes.is_empty()).map(|(name, ..)| name).collect()
    };
    assert_eq!(files(&mut client), ["a.ptx", "b.py"]);
    let off = json!({"settings": {"ptxAtomics": {"python": {"enable": false}}}});
    client.notify("workspace/didChangeConfiguration", off);
    assert_eq!(files(&mut client), ["a.ptx"]);
    client.leave();
}

#[test]
fn findings_of_all_files_are_given_once_each() {
    let folder = Folder::new("workspace-findings");
    folder.write("a.ptx", &with_error());
    folder.write("b.ptx", CLEAN);
    folder.write("c.ptx", "This is a laser scan.");
    let mut client = folder.client();
    client.open(&folder.uri("b.ptx"), 7, &with_error());
    let (reports, ids) = ask(&mut client, &json!([]));
    let (first, second) = (report("b.ptx", "full", &["illegal-type"]), report("a.ptx", "full", &["illegal-type"]));
    assert_eq!(reports, [first.clone(), second], "the editor's text counts, and what is no PTX does not");

    let (reports, ids) = ask(&mut client, &ids);
    assert_eq!(reports, [report("b.ptx", "unchanged", &[]), report("a.ptx", "unchanged", &[])]);

    folder.write("a.ptx", CLEAN);
    let (reports, ids) = ask(&mut client, &ids);
    assert_eq!(reports, [report("b.ptx", "unchanged", &[]), report("a.ptx", "full", &[])]);

    folder.write("ptx-atomics.toml", "exclude = [\"a.ptx\"]\n");
    let (reports, ids) = ask(&mut client, &ids);
    assert_eq!(reports, [report("b.ptx", "unchanged", &[]), report("a.ptx", "full", &[])], "what it had is taken back");

    let left = json!({"uri": folder.uri(""), "name": "work"});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [], "removed": [left]}}));
    let (reports, _) = ask(&mut client, &ids);
    assert_eq!(reports, [report("b.ptx", "unchanged", &[])]);
    client.leave();
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folders_are_not_followed() {
    let (folder, other) = (Folder::new("workspace-links"), Folder::new("workspace-links-other"));
    other.write("a.ptx", &with_error());
    folder.write("b.ptx", &with_error());
    for (target, name) in [(other.0.join("a.ptx"), "a.ptx"), (folder.0.join("b.ptx"), "c.ptx")] {
        std::os::unix::fs::symlink(target, folder.0.join(name)).expect("can be made");
    }
    let mut client = folder.client();
    let files =
        |client: &mut Client| -> Vec<String> { ask(client, &json!([])).0.into_iter().map(|(name, ..)| name).collect() };
    assert_eq!(files(&mut client), ["b.ptx", "c.ptx"]);
    let added = json!({"uri": other.uri(""), "name": "other"});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [added], "removed": []}}));
    assert_eq!(files(&mut client).iter().filter(|name| *name == "a.ptx").count(), 2);
    client.leave();
}

#[test]
fn progress_is_reported_to_clients_with_a_token() {
    let folder = Folder::new("workspace-progress");
    for file in 0..10 {
        folder.write(&format!("{file}.ptx"), CLEAN);
    }
    let mut client = folder.client();
    let id = client.ask("workspace/diagnostic", json!({"previousResultIds": [], "workDoneToken": "checking"}));
    let progress = |client: &mut Client, kind: &str| {
        client.wait(kind, |message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind)
    };
    assert_eq!(progress(&mut client, "begin")["params"]["token"], "checking");
    assert_eq!(progress(&mut client, "report")["params"]["value"]["percentage"], 10);
    progress(&mut client, "end");
    assert_eq!(client.reply(id).expect("succeeds")["items"].as_array().map(Vec::len), Some(10));
    client.leave();
}

#[test]
fn symbols_of_closed_files_are_found() {
    let folder = Folder::new("workspace-symbols");
    folder.write("a.ptx", &CLEAN.replace("kernel", "distant"));
    let mut client = folder.client();
    client.open(&folder.uri("b.ptx"), 1, CLEAN);
    let found = client.request("workspace/symbol", json!({"query": ""})).expect("succeeds");
    let names: Vec<_> = found.as_array().expect("a list").iter().map(|symbol| symbol["name"].as_str()).collect();
    assert!(names.contains(&Some("kernel")) && names.contains(&Some("distant")), "{names:?}");
    let found = client.request("workspace/symbol", json!({"query": "dst"})).expect("succeeds");
    assert_eq!(found[0]["location"]["uri"], folder.uri("a.ptx"));
    client.leave();
}

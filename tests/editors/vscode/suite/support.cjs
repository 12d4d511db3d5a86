// What the tests in the extension host share.
const assert = require('node:assert/strict');
const { readdir, readFile } = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');

async function until(what, ask, limit = 30000) {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const root = () => vscode.workspace.workspaceFolders[0].uri;
const diagnostics = (document) => vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === 'ptx-atomics');
const codes = (document) => diagnostics(document).map((one) => (typeof one.code === 'object' ? one.code.value : one.code)).sort();
const extension = () => vscode.extensions.getExtension('ptx-atomics.ptx-atomics');
const api = () => extension().exports;

async function open(name) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(root(), name));
  await vscode.window.showTextDocument(document);
  return document;
}

/** The file `tally.ptx` as it was, with its one diagnostic. */
async function openTally() {
  const document = await open('tally.ptx');
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await until('the diagnostic', () => codes(document).join() === 'illegal-type');
  return document;
}

/** The position of a word, or of a character in it. */
function at(document, word, inside = 0) {
  const offset = document.getText().indexOf(word);
  assert.notEqual(offset, -1, `${word} is in the text`);
  return document.positionAt(offset + inside);
}

async function edit(document, range, text) {
  const change = new vscode.WorkspaceEdit();
  change.replace(document.uri, range, text);
  assert.ok(await vscode.workspace.applyEdit(change));
}

async function configure(key, value) {
  await vscode.workspace.getConfiguration('ptxAtomics').update(key, value, vscode.ConfigurationTarget.Global);
}

async function servers() {
  const binary = path.join(extension().extensionPath, 'bin', 'ptx-atomics');
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')));
  return numbers.filter((_, place) => lines[place].split('\0')[0] === binary).map(Number);
}

const text = (hover) => hover.flatMap((one) => one.contents).map((content) => content.value ?? content).join('\n');
const label = (item) => (typeof item.label === 'string' ? item.label : item.label.label);

module.exports = { until, root, diagnostics, codes, extension, api, open, openTally, at, edit, configure, servers, text, label };

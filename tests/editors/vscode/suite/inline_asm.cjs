// PTX in C++ and Python.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, diagnostics, codes, api, open, at, configure, text } = require('./support.cjs');

module.exports = {
  async 'CUDA C++ with PTX is checked without setup, and one setting turns that off'() {
    const document = await open('kernel.cu');
    await vscode.languages.setTextDocumentLanguage(document, 'cpp');
    await until('the status', () => api().status() !== '');
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
    assert.equal(document.getText(diagnostics(document)[0].range), '.u32');
    await configure('cuda.enable', false);
    await until('no status', () => api().status() === '');
    assert.equal(diagnostics(document).length, 0, 'off is off, also for files of the workspace');
    const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom', 1));
    assert.ok(!/PTX/.test(text(hovers)), text(hovers));
    await configure('cuda.enable', undefined);
    await until('the diagnostic again', () => codes(document).join() === 'illegal-type');
  },

  async 'Python with PTX is checked without setup, and one setting turns that off'() {
    const document = await open('flag.py');
    await vscode.languages.setTextDocumentLanguage(document, 'python');
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
    assert.equal(document.getText(diagnostics(document)[0].range), '.u32');
    await configure('python.enable', false);
    await until('no diagnostic', () => diagnostics(document).length === 0);
    await configure('python.enable', undefined);
    await until('the diagnostic again', () => codes(document).join() === 'illegal-type');
  },

  async 'a statement in CUDA C++ is checked, fixed, explained, renamed in and evaluated in its string'() {
    const document = await open('lock.cu');
    await vscode.languages.setTextDocumentLanguage(document, 'cpp');
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
    const [diagnostic] = diagnostics(document);
    assert.equal(document.getText(diagnostic.range), '.u32');
    assert.ok(diagnostic.range.start.isEqual(at(document, '.u32 kept, [')), 'behind characters of every width');
    const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, diagnostic.range, 'quickfix');
    const fix = actions.find((one) => one.edit && one.title.includes('.b32'));
    assert.ok(fix, `a fix with .b32 among ${actions.map((one) => one.title)}`);
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.ok(document.getText().includes('"/* 😀 */ atom.acquire.gpu.global.or.b32 kept, [%1], %2;\\n\\t"'));
    await until('no diagnostic', () => diagnostics(document).length === 0);

    const inside = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'acquire', 1));
    assert.match(text(inside), /acquire/);
    assert.equal(document.getText(inside[0].range), '.acquire');
    const whole = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'asm volatile', 1));
    assert.match(text(whole), /atom\.acquire\.gpu\.global\.or\.b32/);

    for (const [word, name, uses] of [['kept', 'seen', 4], ['RETRY', 'TRY', 2]]) {
      const change = await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, at(document, word, 1), name);
      assert.ok(await vscode.workspace.applyEdit(change));
      assert.equal(document.getText().split(name).length - 1, uses);
      assert.ok(!document.getText().includes(word));
    }
    await until('no diagnostic', () => diagnostics(document).length === 0);

    const line = at(document, 'atom.acquire').line;
    const cursor = at(document, 'atom.acquire');
    await vscode.window.showTextDocument(document);
    vscode.window.activeTextEditor.selection = new vscode.Selection(cursor, cursor);
    const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 10);
    assert.deepEqual(lenses.map((one) => one.range.start.line), [line]);
    const running = vscode.commands.executeCommand(lenses[0].command.command, ...lenses[0].command.arguments);
    await until('the result', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return api().results(document.uri).length === 1;
    });
    await running;
    assert.match(JSON.stringify(api().results(document.uri)), /\[a\]=/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  },
};

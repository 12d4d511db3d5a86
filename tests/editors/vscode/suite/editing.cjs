// Completion, rename, formatting, snippets, and what else helps to edit.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, extension, openTally, at, edit, configure, label } = require('./support.cjs');

module.exports = {
  async 'completion offers what may follow and nothing else'() {
    const document = await openTally();
    const line = document.positionAt(document.getText().indexOf('    ret;'));
    await edit(document, new vscode.Range(line, line), '    atom.global.\n');
    const place = new vscode.Position(line.line, '    atom.global.'.length);
    const list = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, place, '.');
    const labels = list.items.map(label).map((one) => one.replace(/^\./, ''));
    for (const wanted of ['add', 'cas', 'exch', 'acquire']) assert.ok(labels.includes(wanted), `${wanted} in ${labels}`);
    for (const other of ['local', 'shared', 'global', 'popc']) assert.ok(!labels.includes(other), `${other} in ${labels}`);
  },

  async 'rename reaches every use'() {
    const document = await openTally();
    const change = await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, at(document, 'ticket', 2), 'queue');
    assert.ok(await vscode.workspace.applyEdit(change));
    assert.equal(document.getText().match(/queue/g).length, 3);
    assert.ok(!document.getText().includes('ticket'));
  },

  async 'lenses, outline, folds, tokens and formatting are there'() {
    const document = await openTally();
    const ask = (command, ...rest) => vscode.commands.executeCommand(command, document.uri, ...rest);
    await edit(document, document.lineAt(at(document, 'atom.global.or').line).range, '    atom.global.or.b32 %r4, [%rd2+8], 1;');
    const all = async () => (await ask('vscode.executeCodeLensProvider', 100)).map((lens) => lens.command.title);
    const isKernel = (title) => ['Run', 'Check'].includes(title);
    assert.deepEqual((await all()).filter(isKernel), ['Run', 'Check'], 'one kernel, a lens that runs it and one that checks it');
    const titles = async () => (await all()).filter((title) => !isKernel(title));
    const atomic = at(document, 'atom.global.or.b32', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.deepEqual(await titles(), [], 'no lens without an atomic at the cursor');
    vscode.window.activeTextEditor.selection = new vscode.Selection(atomic, atomic);
    await until('one lens', async () => ((list) => list.length === 1 && list[0].startsWith('Evaluate'))(await titles()));
    vscode.window.activeTextEditor.selection = new vscode.Selection(0, 0, 0, 0);
    await configure('codeLens.evaluate', 'all');
    await until('a lens without the cursor', async () => (await titles()).length === 1);
    await configure('codeLens.evaluate', 'off');
    await until('no lens', async () => (await titles()).length === 0);
    await configure('codeLens.evaluate', undefined);
    assert.ok((await ask('vscode.executeDocumentSymbolProvider')).some((symbol) => symbol.name === 'tally'));
    assert.ok((await ask('vscode.executeFoldingRangeProvider')).length > 0);
    await edit(document, new vscode.Range(0, 0, 0, 0), '// #region head\n');
    await edit(document, new vscode.Range(6, 0, 6, 0), '// #endregion\n');
    const folds = await ask('vscode.executeFoldingRangeProvider');
    assert.ok(folds.some((fold) => fold.start === 0 && fold.end === 6), 'the region folds');
    const legend = await ask('vscode.provideDocumentSemanticTokensLegend');
    const manifest = extension().packageJSON.contributes;
    for (const { language, scopes } of manifest.semanticTokenScopes) {
      assert.deepEqual(Object.keys(scopes).sort(), [...legend.tokenTypes].sort(), `colours of ${language}`);
    }
    assert.ok((await ask('vscode.provideDocumentSemanticTokens')).data.length > 0);
    await edit(document, document.lineAt(at(document, 'mov.u32').line).range, 'mov.u32   %r1,7;');
    await vscode.commands.executeCommand('editor.action.formatDocument');
    assert.ok(document.getText().includes('\n    mov.u32 %r1, 7;\n'));
  },

  async 'comments, brackets and snippets know the language'() {
    const document = await openTally();
    const { line } = at(document, 'mov.u32');
    vscode.window.activeTextEditor.selection = new vscode.Selection(line, 0, line, 0);
    await vscode.commands.executeCommand('editor.action.commentLine');
    assert.equal(document.lineAt(line).text, '    // mov.u32 %r1, 7;');
    await edit(document, document.lineAt(line).range, '');
    vscode.window.activeTextEditor.selection = new vscode.Selection(line, 0, line, 0);
    await vscode.commands.executeCommand('editor.action.insertSnippet', { langId: 'ptx', name: 'Reduction' });
    assert.match(document.lineAt(line).text, /^red\.relaxed\.gpu\.global\.add\.u32 \[%rd1\], %r1;$/);
  },
};

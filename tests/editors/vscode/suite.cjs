// Runs inside the extension host. Each test opens what it needs and asks as the editor's own commands do.
const assert = require('node:assert/strict');
const { readdir, readFile } = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');

async function until(what, ask, limit = 30000) {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const root = () => vscode.workspace.workspaceFolders[0].uri;
const findings = (document) => vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === 'ptx-atomics');
const codes = (document) => findings(document).map((one) => (typeof one.code === 'object' ? one.code.value : one.code)).sort();
const extension = () => vscode.extensions.getExtension('ptx-atomics.ptx-atomics');
const api = () => extension().exports;

async function open(name) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(root(), name));
  await vscode.window.showTextDocument(document);
  return document;
}

/** The file as it was, with the finding that it has. */
async function tally() {
  const document = await open('tally.ptx');
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await until('the finding', () => codes(document).join() === 'illegal-type');
  return document;
}

/** The position of a word, and of a place within it. */
function at(document, word, inside = 0) {
  const offset = document.getText().indexOf(word);
  assert.notEqual(offset, -1, `${word} stands in the text`);
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

const tests = {
  async 'a text that is no PTX is let go, and no server starts for it'() {
    const pretext = await open('article.ptx');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'xml');
    assert.equal(findings(pretext).length, 0);
    await open('other.litmus');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'plaintext');
    await until('the extension', () => extension().isActive);
    await open('styles.sass');
    await until('another language', () => vscode.window.activeTextEditor.document.languageId === 'plaintext');
    assert.deepEqual(await servers(), []);
    assert.equal(api().status(), '');
  },

  async 'the finding is on the token that is wrong'() {
    const document = await tally();
    assert.equal(document.languageId, 'ptx');
    const [finding] = findings(document);
    assert.equal(document.getText(finding.range), '.u32');
    assert.ok(document.lineAt(finding.range.start.line).text.includes('atom.global.or'));
    assert.equal(finding.severity, vscode.DiagnosticSeverity.Error);
    const page = await vscode.workspace.openTextDocument(finding.code.target);
    assert.match(page.getText(), /illegal-type/, 'the code leads to its page');
    assert.equal((await servers()).length, 1, 'one server, the bundled one');
  },

  async 'machine code is checked too'() {
    const document = await open('reduce.sass');
    await until('the finding', () => codes(document).join() === 'illegal-type');
    const [finding] = findings(document);
    assert.equal(document.getText(finding.range), '.F32');
    await until('the status', () => /SASS · 1 error$/.test(api().status()));
    assert.ok((await vscode.commands.executeCommand('vscode.provideDocumentSemanticTokens', document.uri)).data.length > 0);
  },

  async 'a listing is recognised by its text, wherever its first instruction is'() {
    const data = Array(600).fill('        /*0000*/ \t.byte\t0xff, 0xff, 0xff, 0xff').join('\n');
    const code = '\t.section\t.text.tally,"ax",@progbits\n        /*0000*/                   REDG.E.ADD.F32.STRONG.GPU desc[UR4][R2.64], R0;\n';
    // As nvdisasm 13.5 begins, and a part of a listing without a head.
    for (const [name, head] of [['head.sass', '\t.target\tsm_90\n\n\t.elftype\t@"ET_EXEC"\n\n'], ['part.sass', '']]) {
      const uri = vscode.Uri.joinPath(root(), name);
      await vscode.workspace.fs.writeFile(uri, Buffer.from(`${head}.debug_frame:\n${data}\n${code}`));
      const document = await open(name);
      await until('the status', () => /SASS/.test(api().status()));
      assert.equal(document.languageId, 'nvsass');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(uri);
    }
  },

  async 'litmus tests of PTX are checked too'() {
    const document = await open('message.litmus');
    assert.equal(document.languageId, 'ptx-litmus');
    await until('the finding', () => findings(document).length === 1);
    assert.equal(document.getText(findings(document)[0].range), 'st.acquire.gpu.u32');
    await until('the status', () => /PTX litmus · 1 error$/.test(api().status()));
  },

  async 'the executions of a litmus test are shown, and follow the text'() {
    const document = await open('handover.litmus');
    await until('the server', () => /PTX litmus · no findings|PTX litmus/.test(api().status()));
    const claim = at(document, 'exists', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(claim, claim);
    await vscode.commands.executeCommand('ptxAtomics.showExecutions');
    const outcomes = (wanted) => api().executions().executions.filter((one) => (one.forbidden === null) === wanted).map((one) => one.outcome);
    const stale = '1:r0=1 1:r1=0';
    assert.deepEqual(outcomes(true), ['1:r0=0 1:r1=0', '1:r0=0 1:r1=1', '1:r0=1 1:r1=1']);
    assert.deepEqual(outcomes(false), [stale]);
    const { executions, decisive } = api().executions();
    assert.equal(executions[decisive].outcome, stale, 'the one that the test speaks of');
    assert.match(executions[decisive].forbidden, /^Causality: /);
    assert.match(executions[decisive].text, /--fr-->|--cause-->/);
    assert.ok(executions.every((one) => one.svg.startsWith('<svg') && one.svg.includes('ld.acquire.gpu r0, flag')));
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, claim);
    assert.match(text(hover), /data:image\/svg\+xml;base64,/);
    const release = at(document, 'release.gpu');
    await edit(document, new vscode.Range(release, release.translate(0, 'release'.length)), 'relaxed');
    await until('four outcomes', () => outcomes(true).length === 4 && outcomes(false).length === 0);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('three outcomes', () => outcomes(true).length === 3);
    await vscode.commands.executeCommand('workbench.action.closeEditorsInOtherGroups');
    await until('no panel', () => api().executions() === undefined);
  },

  async 'the status bar shows target, version and diagnostics'() {
    await tally();
    await until('the status', () => /sm_90 · PTX 8\.5 · 1 error$/.test(api().status()));
  },

  async 'hover documents the instruction'() {
    const document = await tally();
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom.global.inc', 1));
    assert.match(text(hover), /atom/);
    assert.match(text(hover), /scope/i);
  },

  async 'hover on a wrong instruction has the closest forms and a link to its page'() {
    const document = await tally();
    const hover = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom.global.or', 1));
    assert.match(text(hover), /Closest legal forms:\n\n- `atom\.global\.or\.b32`/);
    assert.match(text(hover), /\(command:ptxAtomics\.showForms\?%5B%22atom%22%5D\)/);
    const page = await vscode.commands.executeCommand('ptxAtomics.showForms', 'atom');
    assert.equal(page.path, '/atom.md');
  },

  async 'completion offers what may follow and nothing else'() {
    const document = await tally();
    const line = document.positionAt(document.getText().indexOf('    ret;'));
    await edit(document, new vscode.Range(line, line), '    atom.global.\n');
    const place = new vscode.Position(line.line, '    atom.global.'.length);
    const list = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, place, '.');
    const labels = list.items.map(label).map((one) => one.replace(/^\./, ''));
    for (const wanted of ['add', 'cas', 'exch', 'acquire']) assert.ok(labels.includes(wanted), `${wanted} in ${labels}`);
    for (const other of ['local', 'shared', 'global', 'popc']) assert.ok(!labels.includes(other), `${other} in ${labels}`);
  },

  async 'a quick fix repairs the line'() {
    const document = await tally();
    const [finding] = findings(document);
    const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, finding.range, 'quickfix');
    const fix = actions.find((one) => one.edit && one.title.includes('.b32'));
    assert.ok(fix, `a fix with .b32 among ${actions.map((one) => one.title)}`);
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.ok(document.getText().includes('atom.global.or.b32 %r4'));
    await until('no finding', () => findings(document).length === 0);
  },

  async 'rename reaches every use'() {
    const document = await tally();
    const change = await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, at(document, 'ticket', 2), 'queue');
    assert.ok(await vscode.workspace.applyEdit(change));
    assert.equal(document.getText().match(/queue/g).length, 3);
    assert.ok(!document.getText().includes('ticket'));
  },

  async 'evaluation comments show what the hardware computes'() {
    const document = await tally();
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, whole);
    const shown = hints.map((hint) => [hint.position.line, typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')]);
    const behind = (word) => shown.filter(([line, what]) => line === at(document, word).line && what.includes('→')).map(([, what]) => what);
    assert.match(behind('%r2, [ticket]').join(), /\[a\]=7, d=6/);
    assert.match(behind('%r3, [ticket]').join(), /\[a\]=0, d=7/);
    assert.match(behind('red.relaxed').join(), /\[a\]=0\.0/);
  },

  async 'inlay hints follow their settings'() {
    const document = await tally();
    const ask = async () => {
      const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, new vscode.Range(0, 0, document.lineCount, 0));
      return hints.map((hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')));
    };
    const shown = async () => (await ask()).filter((one) => /relaxed|gpu|generic/.test(one));
    assert.deepEqual(await shown(), [], 'off by default');
    await configure('inlayHints.semantics', true);
    await until('an ordering', async () => (await shown()).some((one) => one.includes('relaxed')));
    await configure('inlayHints.semantics', undefined);
    await until('no ordering', async () => (await shown()).length === 0);
  },

  async 'evaluate here asks for values and shows the result until the line changes'() {
    const document = await tally();
    const place = at(document, 'atom.global.inc.u32 %r3', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
    const running = vscode.commands.executeCommand('ptxAtomics.evaluateHere');
    const shown = () => api().results(document.uri);
    await until('the result', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return shown().length === 1;
    });
    await running;
    assert.equal(shown()[0].line, place.line);
    assert.match(shown()[0].text, /\[a\]=/);
    await edit(document, new vscode.Range(0, 0, 0, 0), '// one line more\n');
    await until('the result one line below', () => shown()[0]?.line === place.line + 1);
    await edit(document, document.lineAt(place.line + 1).range, '    bar.sync 0;');
    await until('no result', () => shown().length === 0);
  },

  async 'lenses, outline, folds, tokens and formatting are there'() {
    const document = await tally();
    const ask = (command, ...rest) => vscode.commands.executeCommand(command, document.uri, ...rest);
    await edit(document, document.lineAt(at(document, 'atom.global.or').line).range, '    atom.global.or.b32 %r4, [%rd2+8], 1;');
    const titles = async () => (await ask('vscode.executeCodeLensProvider', 100)).map((lens) => lens.command.title);
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
    const document = await tally();
    const { line } = at(document, 'mov.u32');
    vscode.window.activeTextEditor.selection = new vscode.Selection(line, 0, line, 0);
    await vscode.commands.executeCommand('editor.action.commentLine');
    assert.equal(document.lineAt(line).text, '    // mov.u32 %r1, 7;');
    await edit(document, document.lineAt(line).range, '');
    vscode.window.activeTextEditor.selection = new vscode.Selection(line, 0, line, 0);
    await vscode.commands.executeCommand('editor.action.insertSnippet', { langId: 'ptx', name: 'Reduction' });
    assert.match(document.lineAt(line).text, /^red\.relaxed\.gpu\.global\.add\.u32 \[%rd1\], %r1;$/);
  },

  async 'another target gives other findings'() {
    const document = await tally();
    await configure('target', 'sm_60');
    await until('what sm_60 lacks', () => codes(document).includes('requires-target'));
    await until('the status', () => api().status().includes('sm_60 (settings)'));
    await configure('target', undefined);
    await until('the module own target', () => codes(document).join() === 'illegal-type');
  },

  async 'the status bar names the file that sets the target'() {
    const document = await tally();
    const file = vscode.Uri.joinPath(root(), 'ptx-atomics.toml');
    await vscode.workspace.fs.writeFile(file, Buffer.from('target = "sm_60"\n'));
    await until('what sm_60 lacks', () => codes(document).includes('requires-target'));
    await until('the status', () => api().status().includes('sm_60 (ptx-atomics.toml)'));
    await vscode.workspace.fs.delete(file);
    await until('the module own target', () => /sm_90 · PTX 8\.5/.test(api().status()));
  },

  async 'every error of the settings file is shown while it is edited'() {
    const file = vscode.Uri.joinPath(root(), 'ptx-atomics.toml');
    await vscode.workspace.fs.writeFile(file, Buffer.from(''));
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'taget = "sm_60"\npreset = "foo"\n'));
    await until('both errors', () => findings(document).length === 2);
    assert.deepEqual(findings(document).map((finding) => document.getText(finding.range)), ['taget', '"foo"']);
    await editor.edit((edit) => edit.delete(new vscode.Range(0, 0, 2, 0)));
    await until('no error', () => findings(document).length === 0);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.workspace.fs.delete(file);
  },

  async 'a rule can be switched off'() {
    const document = await tally();
    await configure('disable', ['illegal-type']);
    await until('silence', () => findings(document).length === 0);
    await configure('disable', undefined);
    await until('the finding', () => findings(document).length === 1);
  },

  async 'the forms of an instruction open as a page'() {
    const document = await tally();
    const place = at(document, 'atom.global.inc', 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
    const uri = await vscode.commands.executeCommand('ptxAtomics.showForms');
    assert.equal(uri.path, '/atom.global.inc.u32.md');
    const page = await vscode.workspace.openTextDocument(uri);
    assert.match(page.getText(), /atom/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  },

  async 'a killed server is started again'() {
    const document = await tally();
    const [former] = await servers();
    process.kill(former, 'SIGKILL');
    await until('another server', async () => (await servers()).some((number) => number !== former));
    await edit(document, document.lineAt(at(document, 'atom.global.or').line).range, '    atom.global.or.s32 %r4, [%rd2+8], 1;');
    await until('the finding about the new text', () => findings(document).some((one) => document.getText(one.range) === '.s32'));
  },

  async 'the status bar offers to restart a server that stays dead'() {
    const document = await tally();
    await until('a stopped server', async () => {
      for (const number of await servers()) process.kill(number, 'SIGKILL');
      return api().status() === '$(error) PTX Atomics: server stopped · Restart';
    });
    await vscode.commands.executeCommand('ptxAtomics.restart');
    await until('the status', () => api().status().startsWith('$(circuit-board)'));
    await until('the finding', () => codes(document).join() === 'illegal-type');
  },

  async 'restarting gives a new server'() {
    const document = await tally();
    const former = await servers();
    await vscode.commands.executeCommand('ptxAtomics.restart');
    const now = await until('one server', async () => ((list) => list.length === 1 && list)(await servers()));
    assert.notDeepEqual(now, former);
    await until('the finding', () => codes(document).join() === 'illegal-type');
  },

  async 'a missing server is reported, and a changed setting takes effect at once'() {
    const document = await tally();
    await configure('server.path', '/nowhere/ptx-atomics');
    await until('the complaint', () => api().status().startsWith('$(error)'));
    await until('no server', async () => (await servers()).length === 0);
    await configure('server.path', undefined);
    await until('the finding', () => codes(document).join() === 'illegal-type');
    await until('the status', () => api().status().startsWith('$(circuit-board)'));
  },

  async 'CUDA C++ is left alone until it is asked for'() {
    const document = await open('kernel.cu');
    await vscode.languages.setTextDocumentLanguage(document, 'cpp');
    assert.equal(api().status(), '');
    assert.equal(findings(document).length, 0, 'off is off, also for files of the workspace');
    const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at(document, 'atom', 1));
    assert.ok(!/PTX/.test(text(hovers)), text(hovers));
    await configure('cuda.enable', true);
    await until('the status', () => api().status() !== '');
    await until('the finding', () => codes(document).join() === 'illegal-type');
    assert.equal(document.getText(findings(document)[0].range), '.u32');
    await configure('cuda.enable', undefined);
    await until('no status', () => api().status() === '');
  },

  async 'a workspace with PTX in asm statements is asked about once'() {
    const questions = [];
    const { ask } = api().dialog;
    api().dialog.ask = async (question) => void questions.push(question);
    for (const name of ['kernel.cu', 'lock.cu']) {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const document = await open(name);
      await vscode.languages.setTextDocumentLanguage(document, 'plaintext');
      await vscode.languages.setTextDocumentLanguage(document, 'cpp');
    }
    api().dialog.ask = ask;
    assert.ok(questions.length <= 1, questions.join());
    assert.equal(await api().cudaAsked(), true);
  },

  async 'a statement in CUDA C++ is checked, fixed, explained, renamed in and evaluated in its string'() {
    const document = await open('lock.cu');
    await vscode.languages.setTextDocumentLanguage(document, 'cpp');
    await configure('cuda.enable', true);
    await until('the finding', () => codes(document).join() === 'illegal-type');
    const [finding] = findings(document);
    assert.equal(document.getText(finding.range), '.u32');
    assert.ok(finding.range.start.isEqual(at(document, '.u32 kept, [')), 'behind characters of every width');
    const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, finding.range, 'quickfix');
    const fix = actions.find((one) => one.edit && one.title.includes('.b32'));
    assert.ok(fix, `a fix with .b32 among ${actions.map((one) => one.title)}`);
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.ok(document.getText().includes('"/* 😀 */ atom.acquire.gpu.global.or.b32 kept, [%1], %2;\\n\\t"'));
    await until('no finding', () => findings(document).length === 0);

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
    await until('no finding', () => findings(document).length === 0);

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
    await configure('cuda.enable', undefined);
  },
};

exports.run = async function run() {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}: ${error.stack}`);
    }
  }
  console.log(`finished: ${Object.keys(tests).length - failed} of ${Object.keys(tests).length} in VS Code ${vscode.version}`);
  if (failed > 0) throw new Error(`${failed} failed`);
};

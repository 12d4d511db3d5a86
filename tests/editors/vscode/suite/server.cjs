// The status bar, and the process of the server.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { until, root, diagnostics, codes, api, openTally, at, edit, configure, servers } = require('./support.cjs');

module.exports = {
  async 'the status bar shows target, version and diagnostics'() {
    await openTally();
    await until('the status', () => /sm_90 · PTX 8\.5 · 1 error$/.test(api().status()));
  },

  async 'the status bar names the file that sets the target'() {
    const document = await openTally();
    const file = vscode.Uri.joinPath(root(), 'ptx-atomics.toml');
    await vscode.workspace.fs.writeFile(file, Buffer.from('target = "sm_60"\n'));
    await until('what sm_60 lacks', () => codes(document).includes('requires-target'));
    await until('the status', () => api().status().includes('sm_60 (ptx-atomics.toml)'));
    await vscode.workspace.fs.delete(file);
    await until("the module's own target", () => /sm_90 · PTX 8\.5/.test(api().status()));
  },

  async 'a killed server is started again'() {
    const document = await openTally();
    const [former] = await servers();
    process.kill(former, 'SIGKILL');
    await until('another server', async () => (await servers()).some((number) => number !== former));
    await edit(document, document.lineAt(at(document, 'atom.global.or').line).range, '    atom.global.or.s32 %r4, [%rd2+8], 1;');
    await until('the diagnostic about the new text', () => diagnostics(document).some((one) => document.getText(one.range) === '.s32'));
  },

  async 'a server that ends just before it is written to is started again'() {
    const document = await openTally();
    const [former] = await servers();
    process.kill(former, 'SIGKILL');
    // The server is dead, and this process has had no time to notice it: what it writes now goes nowhere.
    for (const end = Date.now() + 300; Date.now() < end; );
    vscode.commands.executeCommand('ptxAtomics.evaluateHere').then(undefined, () => undefined);
    await until('another server', async () => (await servers()).some((number) => number !== former));
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
  },

  async 'the status bar offers to restart a server that stays dead'() {
    const document = await openTally();
    await until('a stopped server', async () => {
      for (const number of await servers()) process.kill(number, 'SIGKILL');
      return api().status() === '$(error) PTX Atomics: server stopped · Restart';
    });
    await vscode.commands.executeCommand('ptxAtomics.restart');
    await until('the status', () => api().status().startsWith('$(circuit-board)'));
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
  },

  async 'restarting gives a new server'() {
    const document = await openTally();
    const former = await servers();
    await vscode.commands.executeCommand('ptxAtomics.restart');
    const now = await until('one server', async () => ((list) => list.length === 1 && list)(await servers()));
    assert.notDeepEqual(now, former);
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
  },

  async 'a missing server is reported, and a changed setting takes effect at once'() {
    const document = await openTally();
    await configure('server.path', '/nowhere/ptx-atomics');
    await until('the error', () => api().status().startsWith('$(error)'));
    await until('no server', async () => (await servers()).length === 0);
    await configure('server.path', undefined);
    await until('the diagnostic', () => codes(document).join() === 'illegal-type');
    await until('the status', () => api().status().startsWith('$(circuit-board)'));
  },
};

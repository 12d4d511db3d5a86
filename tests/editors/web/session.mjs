// The workers of VS Code for the web, in workers of Node: node session.mjs --package ptx-atomics-web.vsix
// What a client of the protocol asks is answered, and what may take long is run by the other worker. Ends with "session done".
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const { values } = parseArgs({ options: { package: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'ptx-session-'));
execFileSync('python3', ['-m', 'zipfile', '--extract', values.package, folder]);
const dist = join(folder, 'extension/dist');
const module = await WebAssembly.compile(readFileSync(join(dist, 'engine.wasm')));

/** A worker as a browser has it: `self`, `postMessage` and `onmessage`. */
function start(script) {
  const browser = `const { parentPort } = require('node:worker_threads');
    globalThis.self = globalThis; globalThis.addEventListener = () => undefined; globalThis.postMessage = (message) => parentPort.postMessage(message);
    parentPort.on('message', (data) => globalThis.onmessage({ data }));`;
  const worker = new Worker(`${browser}\n${readFileSync(join(dist, script), 'utf8')}`, { eval: true });
  worker.postMessage({ module });
  return worker;
}

const [session, engine] = ['session.js', 'engine.js'].map(start);
const waiting = new Map();
const elsewhere = [];
let last = 0;
session.on('message', (message) => {
  if (message.method === 'ptxAtomics/elsewhere') {
    elsewhere.push(message.id);
    engine.postMessage({ ...message.params, id: message.id });
  } else if (message.method) {
    session.postMessage({ jsonrpc: '2.0', id: message.id, result: null });
  } else waiting.get(message.id)(message);
});
engine.on('message', ({ id, ...result }) => session.postMessage({ jsonrpc: '2.0', id, result }));
const notify = (method, params) => session.postMessage({ jsonrpc: '2.0', method, params });
const ask = async (method, params) => {
  const id = ++last;
  const answer = await new Promise((done) => {
    waiting.set(id, done);
    session.postMessage({ jsonrpc: '2.0', id, method, params });
  });
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
};

const uri = 'vscode-vfs://github/someone/kernels/tally.ptx';
const textDocument = { uri };
const head = '.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry tally(.param .u64 out)\n{\n.reg .u32 %r<4>;\n.reg .u64 %rd<4>;\nld.param.u64 %rd1, [out];\n';
const text = (type) => `${head}atom.global.or.${type} %r1, [%rd1], 1;\nret;\n}\n`;
const codes = async () => (await ask('textDocument/diagnostic', { textDocument })).items.map((found) => found.code);
const position = { line: 8, character: 2 };
try {
  const { capabilities } = await ask('initialize', { capabilities: { textDocument: { publishDiagnostics: { dataSupport: true }, codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } } } } });
  assert.equal(capabilities.textDocumentSync.change, 1);
  notify('initialized', {});
  assert.equal(await ask('textDocument/hover', { textDocument, position }), null, 'not open yet');
  notify('textDocument/didOpen', { textDocument: { uri, languageId: 'ptx', version: 1, text: text('u32') } });
  const [{ code, range }] = (await ask('textDocument/diagnostic', { textDocument })).items;
  assert.deepEqual([code, range.start], ['illegal-type', { line: 8, character: 14 }]);
  assert.match(JSON.stringify(await ask('textDocument/hover', { textDocument, position })), /atom/);
  const fixes = await ask('textDocument/codeAction', { textDocument, range, context: { diagnostics: [] } });
  assert.ok(fixes.some((fix) => fix.title.includes('.b32')), JSON.stringify(fixes));
  notify('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ text: text('b32') }] });
  assert.ok(!(await codes()).includes('illegal-type'));
  notify('workspace/didChangeConfiguration', { settings: { ptxAtomics: { target: 'sm_60' } } });
  assert.deepEqual((await ask('ptxAtomics/target', { textDocument })).targets, ['sm_60']);
  notify('workspace/didChangeConfiguration', { settings: {} });
  assert.ok((await ask('textDocument/semanticTokens/full', { textDocument })).data.length > 0);
  assert.ok((await ask('textDocument/documentSymbol', { textDocument })).length > 0);
  assert.ok((await ask('textDocument/rename', { textDocument, position: { line: 3, character: 17 }, newName: 'count' })) !== null);
  await assert.rejects(ask('textDocument/unknown', { textDocument, position }), /unknown request/);
  assert.equal(elsewhere.length, 0);
  const run = await ask('workspace/executeCommand', { command: 'ptxAtomics.run', arguments: [{ uri, kernel: 'tally', launch: 'grid 1 block 32 out=u32[1]' }] });
  assert.deepEqual([run.problems, run.memory[0].after], [[], ['1']]);
  assert.equal(elsewhere.length, 1, 'the run was not in the worker of the language');
  assert.equal(await ask('shutdown'), null);
  console.log('session done');
} finally {
  await Promise.all([session.terminate(), engine.terminate()]);
  rmSync(folder, { recursive: true, force: true });
}

// Compares what the program answers natively and as WebAssembly, byte for byte, about every fixture. Prints what differs.
//   node --liftoff-only compare.mjs PROGRAM MODULE FILE…
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

const [program, module, ...files] = process.argv.slice(2);
const compiled = await WebAssembly.compile(readFileSync(module));
const folder = mkdtempSync(join(tmpdir(), 'ptx-web-'));
const CAPABILITIES = { textDocument: { publishDiagnostics: { dataSupport: true, relatedInformation: true } } };

/** What the module writes, with a text on standard input. */
function inModule(args, input) {
  const path = (name) => join(folder, name);
  writeFileSync(path('input'), input);
  const [stdin, stdout, stderr] = [openSync(path('input'), 'r'), openSync(path('output'), 'w'), openSync(path('errors'), 'w')];
  const wasi = new WASI({ version: 'preview1', args: ['ptx-atomics', ...args], stdin, stdout, stderr });
  const instance = new WebAssembly.Instance(compiled, wasi.getImportObject());
  let code = -1;
  try {
    code = wasi.start(instance);
  } catch (error) {
    console.log(`${error}`);
  }
  for (const file of [stdin, stdout, stderr]) closeSync(file);
  return { code, output: readFileSync(path('output'), 'utf8'), errors: readFileSync(path('errors'), 'utf8') };
}

function natively(args, input) {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: status, output: stdout, errors: stderr };
}

let different = 0;
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const uri = `file:///${file}`;
  const requests = [
    { method: 'textDocument/diagnostic', params: {} },
    { method: 'textDocument/inlayHint', params: { range: { start: { line: 0, character: 0 }, end: { line: 1 << 20, character: 0 } } } },
    { method: 'ptxAtomics/executions', params: { textDocument: { uri }, position: { line: 0, character: 0 } } },
  ];
  const question = JSON.stringify({ uri, text, capabilities: CAPABILITIES, requests });
  const args = ['lsp', '--single-text'];
  const [one, other] = [natively(args, question), inModule(args, question)];
  if (JSON.stringify(one) === JSON.stringify(other) && one.code === 0) continue;
  different += 1;
  console.log(`${file}:\n  native ${JSON.stringify(one).slice(0, 400)}\n  module ${JSON.stringify(other).slice(0, 400)}`);
}
rmSync(folder, { recursive: true });
console.log(`${files.length} files, ${different} different`);
process.exitCode = different ? 1 : 0;

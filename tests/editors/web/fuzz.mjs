// Asks the module for browsers and the program the same about what the fuzz targets have kept, and about random changes of it, and compares
// the answers byte for byte. The module has pointers of 32 bits, one thread, and one instance from question to question.
//   node --no-warnings fuzz.mjs --module FILE --program FILE [--seconds N] [--seed N]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execute, use } from '../../../editors/web/src/program.js';

const { values } = parseArgs({
  options: {
    module: { type: 'string' },
    program: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const FUZZ = new URL('../../fuzz/', import.meta.url).pathname;
/** Bytes before the text of an input, and the extension of its language. The others are about the protocol, settings and batches of values. */
const TARGETS = {
  grammar: [0, 'ptx'],
  lint: [1, 'ptx'],
  run: [1, 'ptx'],
  check: [1, 'ptx'],
  litmus: [0, 'litmus'],
  sass: [1, 'sass'],
  cuda: [1, 'cu'],
  python: [1, 'py'],
  hosts: [2, 'ipynb ll mlir rs jl mojo md'],
};
const CAPABILITIES = { textDocument: { publishDiagnostics: { dataSupport: true, relatedInformation: true } } };

/** Numbers from a seed (a linear congruential generator; its high bits are used). */
function random(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(Math.max(below, 1)));
  };
}
const below = random(values.seed);
const oneOf = (list) => list[below(list.length)];

/** The inputs of a target: those with a name, and those in its archive. */
function inputs(target) {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-inputs-'));
  const unpacked = spawnSync('tar', ['-C', folder, '-xJf', join(FUZZ, 'kept', `${target}.tar.xz`)]);
  if (unpacked.status !== 0) throw new Error(`${target}: ${unpacked.stderr}`);
  const read = (from) => readdirSync(from).sort().map((name) => readFileSync(join(from, name)));
  const found = [...read(join(FUZZ, 'corpus', target)), ...read(folder)];
  rmSync(folder, { recursive: true });
  return found;
}

/** A text with a few lines removed, repeated or exchanged, or a number in the place of another. */
function changed(text) {
  const lines = text.split('\n');
  for (let count = 1 + below(3); count > 0; count -= 1) {
    const [at, other] = [below(lines.length), below(lines.length)];
    switch (below(4)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(at, 0, lines[other] ?? '');
        break;
      case 2:
        [lines[at], lines[other]] = [lines[other], lines[at]];
        break;
      default:
        lines[at] = lines[at]?.replace(/\d+/, oneOf(['0', '7', '65536', '2147483648', '4294967296', '18446744073709551615']));
    }
  }
  return lines.join('\n');
}

/** A launch for the first kernel of a module, with an argument for each parameter, or nothing. */
function launch(text) {
  const [, kernel, parameters] = /\.entry\s+([\w$]+)\s*\(([^)]*)\)/.exec(text) ?? [];
  if (!kernel) return undefined;
  const argument = ([, type, name]) => (type.endsWith('64') ? `${name}=u32[16]` : `${name}=${type.replace('b', 'u')}=${below(9)}`);
  const written = [...parameters.matchAll(/\.param\s+\.(\w+)\s+(?:\.\w+\s+)*([\w$]+)/g)].map(argument);
  return { kernel, launch: `grid ${1 + below(2)} block ${1 + below(3)} ${written.join(' ')}` };
}

function question(text, extension) {
  const uri = `file:///input.${extension}`;
  const lines = text.split('\n');
  const line = below(lines.length);
  const position = { line, character: below(lines[line].length + 1) };
  const range = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  const textDocument = { uri };
  const at = ['hover', 'completion', 'definition', 'documentHighlight', 'signatureHelp', 'prepareRename', 'linkedEditingRange'];
  const requests = [
    ['textDocument/diagnostic', {}],
    ['textDocument/inlayHint', { range }],
    ['textDocument/codeLens', {}],
    ['textDocument/semanticTokens/full', {}],
    ['textDocument/documentSymbol', {}],
    ['textDocument/formatting', { options: { tabSize: 4, insertSpaces: true } }],
    ['textDocument/codeAction', { range, context: { diagnostics: [] } }],
    ['ptxAtomics/executions', { position }],
    ...at.map((name) => [`textDocument/${name}`, { position }]),
  ];
  const launched = extension === 'ptx' && launch(text);
  if (launched) {
    for (const command of ['ptxAtomics.run', 'ptxAtomics.check']) {
      requests.push(['workspace/executeCommand', { command, arguments: [{ uri, ...launched }] }]);
    }
  }
  const asked = requests.map(([method, params]) => ({ method, params: { textDocument, ...params } }));
  return JSON.stringify({ uri, text, capabilities: CAPABILITIES, requests: asked });
}

function natively(input) {
  const { status, stdout, stderr } = spawnSync(values.program, ['lsp', '--single-text'], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: status, output: stdout, errors: stderr };
}

use(await WebAssembly.compile(readFileSync(values.module)));
const kept = Object.keys(TARGETS).map((target) => [target, inputs(target)]);
const end = Date.now() + 1000 * Number(values.seconds);
const found = join(FUZZ, 'found/webassembly');
let [asked, different] = [0, 0];
while (Date.now() < end) {
  const [target, own] = oneOf(kept);
  const [head, extensions] = TARGETS[target];
  const text = oneOf(own).subarray(head).toString('utf8');
  const input = question(below(2) === 0 ? text : changed(text), oneOf(extensions.split(' ')));
  const [one, other] = [natively(input), execute({ args: ['lsp', '--single-text'], input })];
  asked += 1;
  if (one.code === 0 && other.code === 0 && one.output === other.output) continue;
  different += 1;
  mkdirSync(found, { recursive: true });
  const file = join(found, `${values.seed}-${asked}.json`);
  writeFileSync(file, input);
  console.log(`${target}: ${file}\n  native ${one.code} ${one.output.length} ${one.errors.slice(0, 300)}\n  module ${other.code} ${other.output.length} ${other.errors.slice(0, 300)}`);
}
console.log(`${asked} texts, ${different} different`);
process.exitCode = different ? 1 : 0;

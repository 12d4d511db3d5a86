/** Runs the program, with its files in memory. `main` runs anew for each request, in the instance of the last one. */
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

let compiled;

/** The module to run, before the first `execute`. */
export function use(module) {
  compiled = module;
}

/** Collects what the program writes. */
function sink() {
  const chunks = [];
  const decode = () => {
    const decoder = new TextDecoder();
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  };
  return { file: new ConsoleStdout((bytes) => chunks.push(bytes.slice())), decode };
}

/** An instance whose memory has grown beyond this is not used again. */
const MOST_MEMORY = 256 << 20;

/** The instance of the last request. Its tables are built and its code is compiled, which a fresh one would spend a tenth of a second on. */
let kept;

function prepare() {
  const wasi = new WASI([], [], [], { debug: false });
  return { wasi, instance: new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport }) };
}

/** The program with arguments, a text on standard input, and files in its folder; its exit code and what it wrote. */
export function execute({ args, input = '', files = {} }) {
  const encoder = new TextEncoder();
  const [output, errors] = [sink(), sink()];
  const folder = new Map(Object.entries(files).map(([name, text]) => [name, new File(encoder.encode(text))]));
  const { wasi, instance } = kept ?? prepare();
  kept = undefined;
  wasi.args = ['ptx-atomics', ...args];
  wasi.fds = [new OpenFile(new File(encoder.encode(input))), output.file, errors.file, new PreopenDirectory('.', folder)];
  let code;
  try {
    code = wasi.start(instance);
  } catch (error) {
    return { code: -1, output: output.decode(), errors: `${errors.decode()}${error}` };
  }
  // Another exit code unwinds the stack by an exception, which leaves the instance in the middle of what it did.
  if (code === 0 && instance.exports.memory.buffer.byteLength <= MOST_MEMORY) kept = { wasi, instance };
  return { code, output: output.decode(), errors: errors.decode() };
}

/** Runs the program in a worker: each request is a fresh instance of the module, with its files in memory. */
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

let compiled;

/** Collects what the program writes. */
function sink() {
  const chunks = [];
  const decode = () => {
    const decoder = new TextDecoder();
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  };
  return { file: new ConsoleStdout((bytes) => chunks.push(bytes.slice())), decode };
}

/** The program with arguments, a text on standard input, and files in its folder; its exit code and what it wrote. */
function execute({ args, input = '', files = {} }) {
  const encoder = new TextEncoder();
  const [output, errors] = [sink(), sink()];
  const folder = new Map(Object.entries(files).map(([name, text]) => [name, new File(encoder.encode(text))]));
  const wasi = new WASI(
    ['ptx-atomics', ...args],
    [],
    [new OpenFile(new File(encoder.encode(input))), output.file, errors.file, new PreopenDirectory('.', folder)],
  );
  const instance = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport });
  let code;
  try {
    code = wasi.start(instance);
  } catch (error) {
    return { code: -1, output: output.decode(), errors: `${errors.decode()}${error}` };
  }
  return { code, output: output.decode(), errors: errors.decode() };
}

self.onmessage = ({ data }) => {
  if (data.module) compiled = data.module;
  else self.postMessage({ id: data.id, ...execute(data) });
};

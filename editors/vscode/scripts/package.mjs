// Makes the .vsix with the server inside:
//   npm run package                     builds the server of this repository for this machine
//   npm run package -- --server FILE    uses an existing server
//   npm run package -- --target win32-x64 --server FILE    for another platform
//   npm run package -- --target web --server ptx-atomics.wasm    for VS Code in a browser; editors/web/build makes that file
//   npm run package -- --no-server      without a server, for every platform; the user installs the server
//   … --out FILE                        instead of ptx-atomics-PLATFORM.vsix here
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = resolve(here, '../..');
// npm changes into the folder of the package; paths of the command line are relative to the caller's folder.
const asked = process.env.INIT_CWD ?? process.cwd();
const { values: options } = parseArgs({
  options: {
    server: { type: 'string' },
    'no-server': { type: 'boolean', default: false },
    target: { type: 'string', default: `${process.platform}-${process.arch}` },
    out: { type: 'string' },
  },
});

/** Builds the server, and returns the path that cargo reports. */
function build() {
  const output = execFileSync('cargo', ['build', '--release', '--package', 'ptx-atomics', '--message-format=json-render-diagnostics'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const messages = output.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const found = messages.find((message) => message.executable && message.target.name === 'ptx-atomics');
  if (!found) throw new Error('cargo built no ptx-atomics');
  return found.executable;
}

process.chdir(here);
await rm('dist', { recursive: true, force: true });
execFileSync(process.execPath, ['scripts/build.mjs', ...(options.target === 'web' ? ['--web'] : [])], { stdio: 'inherit' });
await rm('bin', { recursive: true, force: true });
if (options.target === 'web') {
  if (!options.server) throw new Error('--target web requires --server: the engine as WebAssembly');
  await copyFile(resolve(asked, options.server), 'dist/engine.wasm');
} else if (!options['no-server']) {
  const server = resolve(asked, options.server ?? build());
  await mkdir('bin');
  const bundled = join('bin', options.target.startsWith('win32') ? 'ptx-atomics.exe' : 'ptx-atomics');
  await copyFile(server, bundled);
  await chmod(bundled, 0o755);
}
await copyFile(join(repository, 'CHANGELOG.md'), 'CHANGELOG.md');
await copyFile(join(repository, 'editors/ptx-atomics.schema.json'), 'ptx-atomics.schema.json');
const licences = await Promise.all(['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => readFile(join(repository, name), 'utf8')));
await writeFile('LICENSE', ['Licensed under either of the MIT License or the Apache License, Version 2.0, at your option.\n', ...licences].join('\n---\n\n'));

/** The README with its pictures inside: an extension's page loads no files of the extension. */
async function bundledReadme() {
  const names = [...source.matchAll(/\]\((images\/[\w-]+\.png)\)/g)].map((match) => match[1]);
  let text = source;
  for (const name of new Set(names)) text = text.replaceAll(`(${name})`, `(data:image/png;base64,${await readFile(name, 'base64')})`);
  return text;
}
const source = await readFile('README.md', 'utf8');
await writeFile('README.bundled.md', await bundledReadme());
const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const platform = options['no-server'] ? undefined : options.target;
const packagePath = options.out ? resolve(asked, options.out) : resolve(`ptx-atomics-${platform ?? 'any'}.vsix`);
await createVSIX({
  cwd: here,
  packagePath,
  ...(platform && { target: platform }),
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
  readmePath: 'README.bundled.md',
});
console.log(`${packagePath} (version ${version})`);

// Makes the .vsix with the server inside:
//   npm run package                     builds the server of this repository for this machine
//   npm run package -- --server FILE    uses an existing server
//   npm run package -- --target win32-x64 --server FILE    for another platform
//   npm run package -- --target web --server ptx-atomics.wasm    for VS Code in a browser; editors/web/build makes that file
//   npm run package -- --no-server      without a server, for every platform; the user installs the server
//   … --out FILE                        instead of ptx-atomics-PLATFORM.vsix here
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  const output = execFileSync('cargo', ['build', '--profile', 'dist', '--features', 'dist', '--package', 'ptx-atomics', '--message-format=json-render-diagnostics'], {
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
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const forBrowsers = options.target === 'web';

/** What the manifest says of a package: the desktop's has no entry for browsers, a browser's none for the desktop. */
function manifestOf() {
  const { main, browser, capabilities, ...both } = manifest;
  if (!forBrowsers) return { ...both, main, capabilities };
  // It reads no file, so it also works in folders that are on no disk, as those of vscode.dev.
  return { ...both, browser, capabilities: { ...capabilities, virtualWorkspaces: true } };
}

/** The README with its pictures inside: an extension's page loads no files of the extension. */
async function bundledReadme() {
  const source = await readFile('README.md', 'utf8');
  const names = [...source.matchAll(/\]\((images\/[\w-]+\.png)\)/g)].map((match) => match[1]);
  let text = source;
  for (const name of new Set(names)) text = text.replaceAll(`(${name})`, `(data:image/png;base64,${await readFile(name, 'base64')})`);
  return text;
}

/** Puts what the package has into a folder. */
async function assemble(folder) {
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifestOf(), null, 2)}\n`);
  for (const name of ['.vscodeignore', 'languages', 'syntaxes', 'snippets', 'images']) await cp(name, join(folder, name), { recursive: true });
  const dist = join(folder, 'dist');
  execFileSync(process.execPath, ['scripts/build.mjs', '--out', dist, ...(forBrowsers ? ['--web'] : [])], { stdio: 'inherit' });
  if (forBrowsers) {
    if (!options.server) throw new Error('--target web requires --server: the engine as WebAssembly');
    await copyFile(resolve(asked, options.server), join(dist, 'engine.wasm'));
  } else if (!options['no-server']) {
    const bundled = join(folder, 'bin', options.target.startsWith('win32') ? 'ptx-atomics.exe' : 'ptx-atomics');
    await mkdir(dirname(bundled));
    await copyFile(resolve(asked, options.server ?? build()), bundled);
    await chmod(bundled, 0o755);
  }
  await copyFile(join(repository, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
  await copyFile(join(repository, 'editors/ptx-atomics.schema.json'), join(folder, 'ptx-atomics.schema.json'));
  const licences = await Promise.all(['LICENSE-MIT', 'LICENSE-APACHE'].map((name) => readFile(join(repository, name), 'utf8')));
  await writeFile(join(folder, 'LICENSE'), ['Licensed under either of the MIT License or the Apache License, Version 2.0, at your option.\n', ...licences].join('\n---\n\n'));
  await writeFile(join(folder, 'README.bundled.md'), await bundledReadme());
}

const folder = await mkdtemp(join(tmpdir(), 'ptx-package-'));
const platform = options['no-server'] ? undefined : options.target;
const packagePath = options.out ? resolve(asked, options.out) : resolve(`ptx-atomics-${platform ?? 'any'}.vsix`);
try {
  await assemble(folder);
  await createVSIX({
    cwd: folder,
    packagePath,
    ...(platform && { target: platform }),
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
    readmePath: 'README.bundled.md',
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${packagePath} (version ${manifest.version})`);

// Makes the .vsix with the server inside:
//   npm run package                     builds the server of this repository for this machine
//   npm run package -- --server FILE    takes a server that is built already
//   npm run package -- --target win32-x64 --server FILE    for another platform
//   npm run package -- --no-server      for people who have the server in their path; fits every platform
//   … --out FILE                        instead of ptx-atomics-PLATFORM.vsix here
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = resolve(here, '../..');
// npm changes into the folder of the package; what the caller names is seen from where he stands.
const asked = process.env.INIT_CWD ?? process.cwd();
const { values: options } = parseArgs({
  options: {
    server: { type: 'string' },
    'no-server': { type: 'boolean', default: false },
    target: { type: 'string', default: `${process.platform}-${process.arch}` },
    out: { type: 'string' },
  },
});

/** The path of the server that cargo has built, as cargo itself names it. */
function build() {
  const said = execFileSync('cargo', ['build', '--release', '--package', 'ptx-atomics', '--message-format=json-render-diagnostics'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const messages = said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const found = messages.find((message) => message.executable && message.target.name === 'ptx-atomics');
  if (!found) throw new Error('cargo built no ptx-atomics');
  return found.executable;
}

process.chdir(here);
execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
await rm('bin', { recursive: true, force: true });
if (!options['no-server']) {
  const server = resolve(asked, options.server ?? build());
  await mkdir('bin');
  const bundled = join('bin', options.target.startsWith('win32') ? 'ptx-atomics.exe' : 'ptx-atomics');
  await copyFile(server, bundled);
  await chmod(bundled, 0o755);
}
await copyFile(join(repository, 'LICENSE-MIT'), 'LICENSE');
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
});
console.log(`${packagePath} (version ${version})`);

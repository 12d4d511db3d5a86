// The extension in a real VS Code: node run.mjs --server BINARY [--pictures FOLDER] [--layer extension-host|window] [--scenes NAME,NAME] [--dark]
// Packages the extension with that server, installs it, runs the tests inside the extension host, then drives the window.
// Ends with "vscode done" when all went well.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { extensionHost } from './extension_host.mjs';
import { startVsCode } from './harness.mjs';
import { window } from './window.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { server: { type: 'string' }, pictures: { type: 'string' }, layer: { type: 'string' }, scenes: { type: 'string' }, dark: { type: 'boolean' } },
});
const folder = await mkdtemp(join(tmpdir(), 'ptx-vsix-'));
let failures = 0;
try {
  const vsix = join(folder, 'ptx-atomics.vsix');
  execFileSync(process.execPath, [resolve(here, '../../../editors/vscode/scripts/package.mjs'), '--server', resolve(options.server), '--out', vsix], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const layers = { 'extension-host': extensionHost, window: (code) => window(code, options.pictures ?? folder, options.scenes?.split(',')) };
  for (const [name, layer] of Object.entries(layers)) {
    if (options.layer && options.layer !== name) continue;
    console.log(`-- ${name}`);
    const code = await startVsCode(vsix, options.dark);
    try {
      failures += await layer(code);
    } finally {
      await code.end();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? 'vscode done' : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

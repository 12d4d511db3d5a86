// VS Code with our packaged extension in a folder of its own, as a web server, and the browser that shows it.
import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../chromium.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const tools = resolve(here, '../../.tools/vscode/node_modules');
const program = join(tools, 'code-server/lib/vscode/out/server-main.js');

const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.commandCenter.enabled': false,
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'files.autoSave': 'off',
  'git.enabled': false,
  'editor.minimap.enabled': false,
};

/** Calls until there is an answer; what it waits for stands in the error. */
export async function until(what, ask, limit = 30000) {
  const end = Date.now() + limit;
  let last;
  for (;;) {
    const answer = await Promise.resolve(ask()).catch((error) => void (last = error));
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}${last ? `: ${last}` : ''}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** The processes that run this very file, as an editor starts it. */
export async function processesOf(file) {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(numbers.map((number) => readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '')));
  return numbers.filter((_, at) => lines[at].split('\0')[0] === file).map(Number);
}

/** Starts everything, in a light theme or in the dark one. `end` stops it and removes the folder. */
export async function startVsCode(vsix, dark = false) {
  const home = await mkdtemp(join(tmpdir(), 'ptx-vscode-'));
  const workspace = join(home, 'workspace');
  const extensions = join(home, 'extensions');
  await cp(resolve(here, '../workspace'), workspace, { recursive: true });
  await mkdir(join(home, 'data/User'), { recursive: true });
  await writeFile(join(home, 'data/User/settings.json'), JSON.stringify({ ...SETTINGS, ...(dark && { 'workbench.colorTheme': 'Default Dark Modern' }) }));
  const folders = ['--server-data-dir', home, '--extensions-dir', extensions];
  const environment = { ...process.env, EXTENSIONS_GALLERY: '{}' };
  execFileSync(process.execPath, [program, ...folders, '--accept-server-license-terms', '--install-extension', vsix], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const installed = (await readdir(extensions)).find((name) => name.startsWith('ptx-atomics.ptx-atomics-'));
  if (!installed) throw new Error('VS Code did not install the extension');

  const port = await freePort();
  const said = [];
  const server = spawn(
    process.execPath,
    [program, ...folders, '--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms',
      '--enable-smoke-test-driver', '--telemetry-level', 'off'],
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => said.push(String(text)));
  const browser = await launchChromium();
  const end = async () => {
    await browser.close();
    const gone = new Promise((done) => server.once('exit', done));
    if (server.exitCode === null) {
      server.kill();
      await gone;
    }
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  };
  try {
    await until('VS Code to listen', async () => (await fetch(`http://127.0.0.1:${port}/`)).ok);
  } catch (error) {
    await end();
    throw new Error(`${error.message}\n${said.join('')}`);
  }
  const extension = join(extensions, installed);
  return { authority: `127.0.0.1:${port}`, browser, workspace, extension, binary: join(extension, 'bin/ptx-atomics'), end };
}

// VS Code's extension host in a browser: node extension_host.mjs --package ptx-atomics-web.vsix --pictures FOLDER
// The package for browsers runs in a web worker of headless Chromium, and no program of ours runs on the machine. Ends with "host done".
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startVsCode, until } from '../vscode/harness.mjs';

const { values } = parseArgs({ options: { package: { type: 'string' }, pictures: { type: 'string' } } });

/** The lines on show, hints included. */
const lines = (page) => page.evaluate(() => [...document.querySelectorAll('.editor-instance .view-line')].map((line) => line.textContent.replaceAll('\u00a0', ' ')));
const squiggles = (page) => page.locator('.editor-instance .squiggly-error');

async function command(page, name) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').waitFor();
  await page.keyboard.type(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
  await page.keyboard.press('Enter');
}

/** From a squiggle to its repair. */
async function journey(page) {
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'tally.ptx' });
  await row.waitFor();
  await row.dblclick();
  await until('the squiggle', async () => (await squiggles(page).count()) === 1, 60000);
  await page.locator('.statusbar-item', { hasText: /sm_90 · PTX 8\.5 · 1 error/ }).waitFor();
  await until('the result of an atomic', async () => (await lines(page)).some((line) => line.includes('→ [a]=7, d=6')));

  await command(page, 'Go to Next Problem (Error');
  const message = page.locator('.marker-widget');
  await message.waitFor();
  assert.match(await message.innerText(), /illegal-type/);
  await page.screenshot({ path: join(values.pictures, 'extension-host.png') });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row.focused', { hasText: '.b32' }).waitFor();
  await page.keyboard.press('Enter');
  await until('the repaired line', async () => (await lines(page)).some((line) => line.includes('.b32 %r4')));
  await until('no squiggle', async () => (await squiggles(page).count()) === 0);
}

await mkdir(values.pictures, { recursive: true });
// This window also has a host on the machine, which VS Code would prefer.
const code = await startVsCode(resolve(values.package), false, { 'remote.extensionKind': { 'ptx-atomics.ptx-atomics': ['web'] } });
try {
  // Without the entry for the machine, only the one for browsers can answer.
  await rm(join(code.extension, 'dist/extension.js'));
  const context = await code.browser.newContext({ viewport: { width: 1100, height: 720 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  await page.goto(`http://${code.authority}/?folder=${code.workspace}`, { waitUntil: 'domcontentloaded' });
  try {
    await journey(page);
  } catch (error) {
    await page.screenshot({ path: join(values.pictures, 'extension-host-failed.png') });
    throw error;
  }
  console.log('host done');
} finally {
  await code.end();
}

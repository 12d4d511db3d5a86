// VS Code's extension host in a browser: node extension_host.mjs --package ptx-atomics-web.vsix --pictures FOLDER
// The package for browsers runs in a web worker of headless Chromium, and no program of ours runs on the machine. Ends with "host done".
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startVsCode, until } from '../vscode/harness.mjs';

const { values } = parseArgs({ options: { package: { type: 'string' }, pictures: { type: 'string' } } });

/** The lines on show, hints included. */
const lines = (page) => page.evaluate(() => [...document.querySelectorAll('.editor-instance .view-line')].map((line) => line.textContent.replaceAll('\u00a0', ' ')));
/** The texts after the lines: VS Code writes them as the content of a style. */
const behindLines = (page) =>
  page.evaluate(() => [...document.querySelectorAll('.editor-instance .view-line span')].map((span) => getComputedStyle(span, '::after').content.replaceAll('\u00a0', ' ')));
const squiggles = (page) => page.locator('.editor-instance .squiggly-error');

async function command(page, name) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').waitFor();
  await page.keyboard.type(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
  await page.keyboard.press('Enter');
}

async function open(page, name) {
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
  await row.waitFor();
  await row.dblclick();
}

/** From a squiggle to its repair. */
async function repairs(page) {
  await open(page, 'tally.ptx');
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

/** Presses a lens above the kernel, and gives the launch that it asks for. */
async function launch(page, lens, given) {
  await page.locator('.codelens-decoration a', { hasText: new RegExp(`^${lens}$`) }).click();
  const box = page.locator('.quick-input-widget input');
  await box.waitFor();
  await page.locator('.quick-input-title', { hasText: `${lens} count` }).waitFor();
  // The list has only the rows that fit; the last one is found by its words.
  await box.fill('Edit as Text');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Edit as Text' }).click();
  await page.locator('.quick-input-widget', { hasText: 'then the arguments' }).waitFor();
  await box.fill(given);
  await page.keyboard.press('Enter');
  // The form again, with what was given.
  await page.locator('.quick-input-list .monaco-list-row', { hasText: given }).first().waitFor();
  await page.keyboard.press('Enter');
}

/** A kernel runs, and a check of it finds the data race: both in the other worker. */
async function kernels(page) {
  await open(page, 'count.ptx');
  await launch(page, 'Run', 'grid 1 block 1 total=u32[1]=41');
  await page.locator('.notification-list-item', { hasText: 'No problem: count' }).waitFor();
  await until('what each line did', async () => (await behindLines(page)).some((text) => text.includes('×1') && text.includes('%r2 = 42')));
  await page.screenshot({ path: join(values.pictures, 'extension-host-run.png') });

  await launch(page, 'Check', 'grid 1 block 2 total=u32[1]');
  await page.locator('.notification-list-item', { hasText: 'Refuted: count grid 1 block 2 total=u32[1]' }).waitFor();
  await until('the race', async () => (await squiggles(page).count()) > 0);
  await command(page, 'Go to Next Problem (Error');
  const message = page.locator('.marker-widget');
  await message.waitFor();
  assert.match(await message.innerText(), /race/);
  await page.screenshot({ path: join(values.pictures, 'extension-host-check.png') });
}

await mkdir(values.pictures, { recursive: true });
// This window also has a host on the machine, where the package has nothing to run.
const code = await startVsCode(resolve(values.package));
try {
  const context = await code.browser.newContext({ viewport: { width: 1100, height: 720 } });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  await page.goto(`http://${code.authority}/?folder=${code.workspace}`, { waitUntil: 'domcontentloaded' });
  try {
    await repairs(page);
    await kernels(page);
  } catch (error) {
    await page.screenshot({ path: join(values.pictures, 'extension-host-failed.png') });
    throw error;
  }
  console.log('host done');
} finally {
  await code.end();
}

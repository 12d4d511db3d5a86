// The page in headless Chromium, as a newcomer uses it: from mistakes to a proved lock and a forbidden outcome.
//   node run.mjs --site FOLDER --pictures FOLDER
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { visit } from './visit.mjs';

const { site, pictures } = parseArgs({ options: { site: { type: 'string' }, pictures: { type: 'string' } } }).values;
const { url, browser, close } = await visit(site, pictures);

/** A page whose errors end the test. */
async function open(options, hash = '') {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(url + hash);
  await page.waitForFunction(() => /\d+ error/.test(document.getElementById('status').textContent));
  return { page, problems };
}

const status = (page) => page.textContent('#status');
const shot = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
const example = async (page, title) => {
  await page.selectOption('#examples', { label: title });
  await page.waitForFunction(() => /\d+ error/.test(document.getElementById('status').textContent));
  assert.equal(await page.textContent('#examples option:checked'), title);
};

async function desktop(colorScheme) {
  const begin = Date.now();
  const { page, problems } = await open({ colorScheme, viewport: { width: 1280, height: 760 } });
  console.log(`${colorScheme}: first diagnostics after ${Date.now() - begin} ms`);
  assert.match(await status(page), /^3 errors, /);

  await page.hover('.cm-lintRange-error >> nth=0');
  await page.waitForSelector('.cm-tooltip-lint .cm-diagnosticAction');
  await page.waitForSelector('.cm-tooltip .markdown a[href^="https://docs.nvidia.com"]');
  assert.equal((await page.textContent('.cm-tooltip:has(.markdown)')).split('requires .noftz').length, 2, 'the diagnostic is shown once');
  await page.waitForSelector('.cm-tooltip-lint a[href$="/docs/missing-modifier.html"]');
  await shot(page, `diagnostic-${colorScheme}`);
  await page.click('.cm-tooltip-lint .cm-diagnosticAction >> nth=0');
  await page.waitForFunction(() => /^2 errors/.test(document.getElementById('status').textContent));

  await page.click('.cm-line:has-text("ret;")');
  await page.keyboard.press('Home');
  await page.keyboard.type('red.global.add.');
  await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("u32")');
  await shot(page, `completion-${colorScheme}`);
  const milliseconds = await page.getAttribute('#status', 'data-milliseconds');
  console.log(`${colorScheme}: diagnostics and hints ${milliseconds} ms after the last key`);
  await page.keyboard.press('Escape');

  await example(page, 'A lock that is proved');
  assert.equal(await status(page), '0 errors, 0 warnings');
  await page.click('#check');
  await page.waitForSelector('pre.terminal[data-code="0"]');
  assert.match(await page.textContent('pre.terminal'), /proved/);
  await shot(page, `proved-${colorScheme}`);

  await example(page, 'A lock with a data race');
  await page.click('#check');
  await page.waitForSelector('pre.terminal[data-code="1"]');
  assert.match(await page.textContent('pre.terminal'), /data race/);
  await shot(page, `race-${colorScheme}`);

  await example(page, 'A histogram');
  await page.focus('.cm-content');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('pre.terminal[data-code="0"]');
  assert.match(await page.textContent('pre.terminal'), /25/);

  await example(page, 'Atomics, evaluated');
  await page.waitForSelector('.hint.apart:has-text("[a]=7")');
  await shot(page, `evaluation-${colorScheme}`);

  await page.click('#tab-cuda');
  await page.waitForFunction(() => /^[1-9]\d* errors?/.test(document.getElementById('status').textContent));
  await shot(page, `cuda-${colorScheme}`);

  await page.focus('#tab-cuda');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.verdict.forbidden');
  await page.waitForFunction(() => document.querySelector('img.execution').naturalWidth > 100);
  assert.ok((await page.locator('.outcomes button.allowed').count()) === 3);
  await shot(page, `forbidden-${colorScheme}`);
  await example(page, 'Message passing, relaxed');
  await page.waitForFunction(() => document.querySelectorAll('.outcomes button.allowed').length === 4);
  await page.click('.outcomes button >> nth=0');

  await page.click('#share');
  await page.waitForFunction(() => location.hash.length > 1);
  const link = await page.evaluate(() => location.hash);
  const other = await open({ colorScheme }, link);
  assert.match(await other.page.textContent('.cm-content'), /PTX MP\+relaxed/);
  assert.equal(await other.page.getAttribute('#tab-litmus', 'aria-selected'), 'true');
  assert.deepEqual([...problems, ...other.problems], []);
}

async function phone() {
  const { page, problems } = await open({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const fits = async () => {
    const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('header *, main button')].map((one) => one.getBoundingClientRect().right)));
    assert.ok(width <= 390, `the page is ${width} pixels wide`);
  };
  await fits();
  await shot(page, 'phone');
  await page.tap('#tab-litmus');
  await page.waitForSelector('.verdict.forbidden');
  await fits();
  await page.screenshot({ path: join(pictures, 'phone-litmus.png'), fullPage: true });
  await page.tap('#tab-cuda');
  await fits();
  assert.deepEqual(problems, []);
  await page.tap('header >> text=Docs');
  await page.waitForURL(/\/docs\/index\.html$/);
}

try {
  await desktop('light');
  await desktop('dark');
  await phone();
  console.log('web done');
} finally {
  await close();
}

// The documentation in headless Chromium: a search, a page, a link to the playground; wide, narrow, light and dark.
//   node documentation.mjs --site FOLDER --pictures FOLDER
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { visit } from './visit.mjs';

const { site, pictures } = parseArgs({ options: { site: { type: 'string' }, pictures: { type: 'string' } } }).values;
const { url, browser, close } = await visit(site, pictures);

async function open(options, path) {
  const page = await (await browser.newContext(options)).newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(`${url}docs/${path}`);
  return { page, problems };
}

/** The first result for some words. */
async function first(page, words) {
  await page.fill('#search', words);
  await page.waitForSelector(`#found[data-words="${words}"] a`);
  return page.locator('#found a').first().textContent();
}

async function search() {
  const { page, problems } = await open({ viewport: { width: 1280, height: 760 }, colorScheme: 'light' }, 'index.html');
  await page.keyboard.press('/');
  await page.keyboard.type('hidden-loop');
  await page.waitForSelector('#found a:has-text("hidden-loop")');
  await page.screenshot({ path: join(pictures, 'search.png') });
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:text-is("hidden-loop")');
  await page.screenshot({ path: join(pictures, 'rule.png') });
  assert.match(await first(page, 'atom.cas'), /^atom/);
  assert.match(await first(page, '%laneid'), /%laneid/);
  assert.match(await first(page, 'scope both threads'), /memory model/i);
  await page.fill('#search', 'no such word anywhere');
  await page.waitForSelector('#found:has-text("Nothing found")');
  assert.deepEqual(problems, []);
}

async function tutorial() {
  const { page, problems } = await open({ viewport: { width: 1280, height: 760 }, colorScheme: 'dark' }, 'memory-model.html');
  assert.match(await page.locator('.open').first().getAttribute('href'), /^\.\.\/index\.html#/);
  await page.screenshot({ path: join(pictures, 'tutorial-dark.png') });
  assert.deepEqual(problems, []);
}

async function phone() {
  for (const path of ['index.html', 'atom.html', 'rules.html', 'memory-model.html', 'directives/version.html']) {
    const { page, problems } = await open({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }, path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${path} is ${width} pixels wide`);
    if (path === 'atom.html') await page.screenshot({ path: join(pictures, 'docs-phone.png') });
    assert.deepEqual(problems, []);
  }
}

try {
  await search();
  await tutorial();
  await phone();
  console.log('documentation done');
} finally {
  await close();
}

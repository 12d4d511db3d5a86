// The documentation in headless Chromium: searches, pages and their Markdown, a link to the playground; wide, narrow, light and dark.
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
  assert.match(await first(page, 'TMA'), /asynchronous copy.*TMA/);
  assert.match(await first(page, 'atomicAdd'), /atomicAdd/);
  assert.match(await first(page, 'how to install'), /^How to install/);
  assert.match(await first(page, 'mbarrier'), /^mbarrier/);
  await page.fill('#search', 'no such word anywhere');
  await page.waitForSelector('#found:has-text("Nothing found")');
  assert.deepEqual(problems, []);
}

async function tutorial() {
  const { page, problems } = await open({ viewport: { width: 1280, height: 760 }, colorScheme: 'dark' }, 'tutorials/memory-model.html');
  assert.match(await page.locator('.open').first().getAttribute('href'), /^\.\.\/\.\.\/index\.html#/);
  await page.screenshot({ path: join(pictures, 'tutorial-dark.png') });
  assert.deepEqual(problems, []);
}

/** Beginnings of instructions have pages, and each page is there as Markdown. */
async function addresses() {
  const { page } = await open({ viewport: { width: 1280, height: 760 } }, 'mbarrier.html');
  assert.ok((await page.locator('main li').count()) > 10);
  const list = await (await page.request.get(`${url}llms.txt`)).text();
  const named = [...list.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path]) => path);
  assert.ok(named.length > 500, `${named.length} pages`);
  for (const path of [...named.slice(0, 60), 'docs/mbarrier.md']) assert.ok((await page.request.get(url + path)).ok(), path);
}

async function manual() {
  const { page, problems } = await open({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' }, 'guides/check.html');
  assert.equal(await page.locator('.contents [aria-current]').textContent(), 'Check a kernel');
  assert.ok(await page.locator('.contents').isVisible());
  await page.screenshot({ path: join(pictures, 'manual.png') });
  assert.deepEqual(problems, []);
}

async function phone() {
  for (const path of ['index.html', 'atom.html', 'rules.html', 'contents.html', 'guides/run.html', 'reference/commands.html', 'tutorials/memory-model.html', 'directives/version.html']) {
    const { page, problems } = await open({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }, path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${path} is ${width} pixels wide`);
    await page.screenshot({ path: join(pictures, `${path.replaceAll('/', '-')}-phone.png`) });
    assert.deepEqual(problems, []);
  }
}

try {
  await search();
  await tutorial();
  await addresses();
  await manual();
  await phone();
  console.log('documentation done');
} finally {
  await close();
}

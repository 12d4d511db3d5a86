// Follows the links of the built documentation: each leads to a file of the site, with the anchor that it names, and each topic is found by the search.
//   node links.mjs SITE
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const site = resolve(process.argv[2]);
const docs = join(site, 'docs');
const pages = readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.html')).map((name) => join(docs, name));
const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]));
/** The playground, whose links are followed where it is built. */
const PLAYGROUND = join(site, 'index.html');
if (existsSync(PLAYGROUND)) texts.set(PLAYGROUND, readFileSync(PLAYGROUND, 'utf8'));
const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&').replaceAll('&quot;', '"'));

const problems = [];
let links = 0;
for (const [page, text] of texts) {
  for (const [, link] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
    if (/^(https?|data):/.test(link)) continue;
    links += 1;
    const [path, fragment] = link.split('#').map(decoded);
    const file = path ? join(dirname(page), path) : page;
    if (file === PLAYGROUND || join(file, 'index.html') === PLAYGROUND) continue;
    if (!existsSync(file) || statSync(file).isDirectory()) problems.push(`${relative(site, page)}: ${link} is no page`);
    else if (fragment && !texts.get(file)?.includes(`id="${fragment}"`)) problems.push(`${relative(site, page)}: ${link} has no such heading`);
  }
}

const index = JSON.parse(readFileSync(join(docs, 'search.json'), 'utf8'));
const found = new Set(Object.values(index.documentIds).map((id) => join(docs, id.replace(/#.*/, ''))));
for (const page of pages) if (!found.has(page)) problems.push(`${relative(site, page)} is not in the search`);
console.log(problems.join('\n'));
console.log(`${pages.length} pages, ${links} links, ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;

/** A folder served on this machine, and headless Chromium to visit it. */
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { CHROMIUM, launchChromium } from '../chromium.mjs';

if (!existsSync(CHROMIUM)) {
  console.log(`SKIPPED: there is no ${CHROMIUM}; tests/install installs it`);
  process.exit(0);
}

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };

/** `{url, browser, close}` for a site; `pictures` is made. */
export async function visit(site, pictures) {
  mkdirSync(pictures, { recursive: true });
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://a').pathname)).replace(/\/$/, '/index.html');
    const file = join(site, path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = await launchChromium();
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, browser, close };
}

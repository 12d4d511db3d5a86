/** Headless Chromium, for pages and for VS Code in a browser. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Debian's, which `tests/install` installs. */
export const CHROMIUM = '/usr/bin/chromium';

/** A browser of playwright-core that asks nothing of the network by itself. */
export async function launchChromium() {
  const packages = resolve(dirname(fileURLToPath(import.meta.url)), '../.tools/vscode/node_modules');
  const { chromium } = await import(pathToFileURL(resolve(packages, 'playwright-core/index.mjs')));
  return chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

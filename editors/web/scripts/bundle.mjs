// Bundles the page into a folder: index.html, style.css, page.js and engine-worker.js.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const site = process.argv[2];
mkdirSync(site, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: { page: 'src/page.js', 'engine-worker': 'src/engineWorker.js' },
  outdir: site,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'linked',
  loader: { '.ptx': 'text', '.cu': 'text', '.litmus': 'text' },
});
for (const file of ['index.html', 'style.css']) copyFileSync(join(root, 'src', file), join(site, file));

// Bundles the extension: node build.mjs [--web] [--out FOLDER]
// FOLDER is dist by default. It has extension.js for the desktop, or with --web what a browser runs: web.js and its workers session.js and engine.js,
// which need the packages of editors/web.
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { web, out } = parseArgs({ options: { web: { type: 'boolean' }, out: { type: 'string', default: 'dist' } } }).values;
const options = { bundle: true, minify: true, sourcemap: false, logLevel: 'warning', outdir: out };
const extension = { ...options, format: 'cjs', external: ['vscode'] };
if (web) {
  const browser = { platform: 'browser', target: 'es2022' };
  await build({ ...extension, ...browser, entryPoints: { web: 'src/web.ts' } });
  await build({ ...options, ...browser, entryPoints: { session: 'src/session.ts', engine: '../web/src/engineWorker.js' }, format: 'iife' });
} else {
  await build({ ...extension, entryPoints: { extension: 'src/desktop.ts' }, platform: 'node', target: 'node20' });
}

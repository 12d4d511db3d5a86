// Bundles the extension: dist/extension.js for the desktop, dist/web.js for a browser, and with --web the workers of the latter, session.js and
// engine.js, which need the packages of editors/web.
import { build } from 'esbuild';

const options = { bundle: true, minify: true, sourcemap: false, logLevel: 'warning', outdir: 'dist' };
const extension = { ...options, format: 'cjs', external: ['vscode'] };
await build({ ...extension, entryPoints: { extension: 'src/desktop.ts' }, platform: 'node', target: 'node20' });
await build({ ...extension, entryPoints: { web: 'src/web.ts' }, platform: 'browser', target: 'es2022' });
if (process.argv.includes('--web')) {
  const workers = { session: 'src/session.ts', engine: '../web/src/engineWorker.js' };
  await build({ ...options, entryPoints: workers, platform: 'browser', target: 'es2022', format: 'iife' });
}

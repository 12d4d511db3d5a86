// Runs suite.cjs inside VS Code's extension host, which has the real `vscode` API.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const suite = join(dirname(fileURLToPath(import.meta.url)), 'suite.cjs');

/** How many tests failed; what each did is printed. */
export async function extensionHost(code) {
  const page = await (await code.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  let ended;
  const exit = new Promise((done) => (ended = done));
  let finished = false;
  await page.exposeFunction('codeAutomationLog', (_, args) => {
    for (const text of args.filter((one) => typeof one === 'string' && /^(ok|not ok) - |^finished/.test(one))) {
      finished ||= text.startsWith('finished');
      console.log(text);
    }
  });
  await page.exposeFunction('codeAutomationExit', (status) => ended(status));
  const remote = (path) => `vscode-remote://${code.authority}${path}`;
  const payload = [
    ['extensionDevelopmentPath', remote(code.extension)],
    ['extensionTestsPath', remote(suite)],
    ['skipWelcome', 'true'],
  ];
  await page.goto(`http://${code.authority}/?folder=${code.workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`, { timeout: 120000 });
  const late = new Promise((done) => setTimeout(() => done('no answer after five minutes'), 300000).unref());
  const status = await Promise.race([exit, late]);
  if (status !== 0) console.log(`the extension host ended with ${status}`);
  await page.close();
  return status === 0 && finished ? 0 : 1;
}

// The page's times in headless Chromium: the first diagnostics of a cold load, and diagnostics after a key while an instruction is typed into a PTX
// file of 200 lines.
//   node page.mjs --site FOLDER [--loads 5] [--instructions 2]
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { visit } from '../editors/web/visit.mjs';

const { values } = parseArgs({ options: { site: { type: 'string' }, loads: { type: 'string', default: '5' }, instructions: { type: 'string', default: '2' } } });
const { url, browser, close } = await visit(values.site, join(tmpdir(), 'ptx-page'));
const idle = () => /\d+ error/.test(document.getElementById('status').textContent);
const rounded = (numbers) => numbers.sort((one, other) => one - other).map((number) => number.toFixed(0));
const middle = (numbers) => numbers[Math.floor(numbers.length / 2)];

/** A module of 200 lines: kernels with atomics, one of them with a mistake. */
function text() {
  const kernel = (at) => `.visible .entry kernel_${at}(.param .u64 a, .param .u64 b)
{
\t.reg .pred %p;
\t.reg .b32 %r<4>;
\t.reg .b64 %rd<4>;
\tld.param.u64 %rd1, [a];
\tld.param.u64 %rd2, [b];
\tcvta.to.global.u64 %rd3, %rd1;
\tmov.u32 %r1, %tid.x;
\tsetp.ge.u32 %p, %r1, 32;
\t@%p bra DONE_${at};
\tatom.global.add.u32 %r2, [%rd3], %r1;
\tatom.relaxed.gpu.global.cas.b32 %r3, [%rd3], 0, %r2;
\tred.global.max.u32 [%rd3], %r3;
\tst.global.u32 [%rd3+4], %r2;
DONE_${at}:
\tret;
}
`;
  return `.version 8.0\n.target sm_90\n.address_size 64\n${Array.from({ length: 11 }, (_, at) => kernel(at)).join('')}`.split('\n').slice(0, 201).join('\n');
}

async function cold() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(idle);
  // From the navigation on, as the page itself saw it.
  const milliseconds = Number(await page.getAttribute('#status', 'data-first'));
  await context.close();
  return milliseconds;
}

async function keys() {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 760 } })).newPage();
  await page.goto(url);
  await page.waitForFunction(idle);
  await page.click('.cm-content');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text());
  const begin = Date.now();
  await page.waitForSelector('#status[data-warm]', { timeout: 120000 });
  console.log(`ready for the first key ${Date.now() - begin} ms later`);
  await page.click('.cm-line:has-text("st.global.u32") >> nth=0');
  await page.keyboard.press('End');
  const times = [];
  for (const key of '\n\tred.relaxed.gpu.global.add.u32 [%rd3], %r2;'.repeat(Number(values.instructions))) {
    const before = await page.getAttribute('#status', 'data-analyses');
    await page.keyboard.insertText(key);
    await page.waitForFunction((count) => document.getElementById('status').dataset.analyses !== count, before);
    times.push(Number(await page.getAttribute('#status', 'data-milliseconds')));
  }
  return times;
}

try {
  const loads = [];
  for (let at = 0; at < Number(values.loads); at += 1) loads.push(await cold());
  console.log(`first diagnostics: median ${middle(rounded(loads))} ms of ${rounded(loads).join(' ')}`);
  const times = await keys();
  console.log(`diagnostics and hints after a key, 200 lines: the first ${times[0].toFixed(0)} ms, median ${middle(rounded(times))} ms of ${rounded(times).join(' ')}`);
} finally {
  await close();
}

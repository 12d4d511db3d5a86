// Drives the window as a person does, with mouse and keyboard, and takes a picture of each thing.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processesOf, until } from './harness.mjs';

const FILE = 'tally.ptx';

/** What the window can be asked; everything is looked up anew, for the editor draws its lines anew. */
class Editor {
  constructor(page) {
    this.page = page;
    this.keys = page.keyboard;
  }

  /** The text of the lines on show, hints included, top to bottom. */
  lines() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.editor-instance .view-line')]
        .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
        .map((line) => line.textContent.replaceAll('\u00a0', ' ')),
    );
  }

  /** The text of decorations after the line with a word, which styles show. */
  behind(word) {
    return this.page.evaluate((word) => {
      const lines = [...document.querySelectorAll('.editor-instance .view-line')].filter((line) => line.textContent.replaceAll('\u00a0', ' ').includes(word));
      return lines.flatMap((line) => [...line.querySelectorAll('span')].map((part) => getComputedStyle(part, '::after').content)).join('');
    }, word);
  }

  /** Where a word stands, in the line that holds another text. */
  async box(inLine, word) {
    return until(`${word} in the line with ${inLine}`, () =>
      this.page.evaluate(
        ([inLine, word]) => {
          for (const line of document.querySelectorAll('.editor-instance .view-line')) {
            const text = line.textContent.replaceAll('\u00a0', ' ');
            const found = text.indexOf(word);
            if (!text.includes(inLine) || found < 0) continue;
            const range = document.createRange();
            const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            let passed = 0;
            for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
              const end = passed + node.length;
              if (passed <= found && found < end) range.setStart(node, found - passed);
              if (passed < found + word.length && found + word.length <= end) range.setEnd(node, found + word.length - passed);
              passed = end;
            }
            const { x, y, width, height } = range.getBoundingClientRect();
            return { x, y, width, height };
          }
          return null;
        },
        [inLine, word],
      ),
    );
  }

  squiggles() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.editor-instance .squiggly-error')].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return { x, y, width, height };
      }),
    );
  }

  /** Waits until one squiggle, and no other, is exactly under a word. */
  async squiggleUnder(inLine, word) {
    await until(`the only squiggle under ${word} in the line with ${inLine}`, async () => {
      const [squiggles, box] = [await this.squiggles(), await this.box(inLine, word)];
      const near = (one, other) => Math.abs(one - other) < 2;
      return squiggles.length === 1 && near(squiggles[0].x, box.x) && near(squiggles[0].width, box.width) && Math.abs(squiggles[0].y - box.y) < box.height;
    });
  }

  async click(inLine, word) {
    const box = await this.box(inLine, word);
    await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  /**
   * Rests the mouse on a word until the hover's text is as expected. The mouse leaves and comes back when
   * nothing came in two seconds: a hover that is asked for while the window redraws is never shown.
   */
  async hover(what, inLine, word, expected) {
    const content = this.page.locator('.monaco-hover:not(.hidden) .monaco-hover-content').first();
    let moved = 0;
    await until(what, async () => {
      if (Date.now() - moved > 2000 && !(await content.isVisible())) {
        const box = await this.box(inLine, word);
        await this.page.mouse.move(box.x - 40, box.y - 40);
        await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
        moved = Date.now();
      }
      return (await content.isVisible()) && expected(await content.innerText());
    });
  }

  async command(name) {
    await this.keys.press('F1');
    await this.page.locator('.quick-input-widget input').waitFor();
    await this.keys.type(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.keys.press('Enter');
  }

  /** Reverts the file. */
  async revert() {
    await this.keys.press('Escape');
    await this.command('Revert File');
    await this.keys.press('Control+Home');
    await this.squiggleUnder('%r4', '.u32');
  }

  /** Opens a file of the folder, whose files have to be on show. */
  async open(file) {
    const row = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: file });
    await row.waitFor();
    await row.dblclick();
  }

  /** An empty line above `ret`, with the cursor in it. */
  async newLine() {
    await this.click('ret;', 'ret');
    await this.keys.press('Control+Shift+Enter');
  }
}

/** The parts of scenes that the walkthrough and README show: small enough to be read beside their text. */
const STEPS = {
  diagnostic: { x: 118, y: 335, width: 480, height: 170 },
  hover: { x: 48, y: 222, width: 860, height: 262 },
  fix: { x: 118, y: 395, width: 480, height: 150 },
  evaluation: { x: 118, y: 375, width: 740, height: 100 },
  completion: { x: 118, y: 250, width: 560, height: 270 },
  cuda: { x: 340, y: 88, width: 480, height: 110 },
};

/** Each shows one thing and leaves the file as it may. */
const scenes = {
  async 'diagnostic: a squiggle under the token that is wrong'(editor) {
    await editor.squiggleUnder('%r4', '.u32');
    await until('the status', () => editor.page.locator('.statusbar-item', { hasText: /sm_90 · PTX 8\.5 · 1 error/ }).isVisible());
  },

  async 'hover: the documentation of what the mouse is on'(editor) {
    const expected = (text) => text.includes('illegal-type') && text.includes('.b32');
    await editor.hover('diagnostic and documentation', '%r4', '.u32', expected);
  },

  async 'dark: hover on a wrong instruction in a dark theme'(editor) {
    await editor.command('Preferences: Toggle between Light/Dark Themes');
    const expected = (text) =>
      text.includes('atom.global.or.b32') && text.includes('All forms of atom') && text.split('invalid type').length <= 2;
    await editor.hover('the closest forms and the page', '%r4', 'atom', expected);
    return async () => {
      await editor.keys.press('Escape');
      await editor.command('Preferences: Toggle between Light/Dark Themes');
    };
  },

  async 'completion: after a dot, what may follow'(editor) {
    await editor.newLine();
    await editor.keys.type('atom.global.');
    const rows = editor.page.locator('.suggest-widget.visible .monaco-list-row .label-name');
    const labels = async () => (await rows.allInnerTexts()).map((one) => one.trim().replace(/^\./, ''));
    await until('the list', async () => (await labels()).includes('cas'));
    assert.ok(!(await labels()).some((one) => ['global', 'shared', 'local'].includes(one)), `${await labels()}`);
    return async () => {
      await editor.keys.type('ca');
      await until('a narrower list', async () => ((now) => now[0] === 'cas' && !now.includes('relaxed'))(await labels()));
      await editor.keys.press('Enter');
      await until('the word', async () => (await editor.lines()).some((line) => /atom(\.\w+)*\.cas/.test(line)));
    };
  },

  async 'fix: a quick fix repairs the line'(editor) {
    await editor.click('%r4', '.u32');
    const fix = editor.page.locator('.action-widget').locator('.monaco-list-row.focused', { hasText: '.b32' });
    // The list is that of the diagnostics that are there when it opens.
    await until('the fix', async () => {
      await editor.keys.press('Control+.');
      const isThere = await fix.waitFor({ timeout: 5000 }).then(() => true, () => false);
      if (!isThere) await editor.keys.press('Escape');
      return isThere;
    }, 60000);
    return async () => {
      await editor.keys.press('Enter');
      await until('the repaired line', async () => (await editor.lines()).some((line) => line.includes('.b32 %r4')));
      await until('no squiggle', async () => (await editor.squiggles()).length === 0);
    };
  },

  async 'rename: every use follows'(editor) {
    await editor.click('%r2', 'ticket');
    await editor.keys.press('F2');
    await until('the box', () => editor.page.evaluate(() => document.activeElement.closest('.rename-box') !== null));
    await editor.keys.type('queue');
    return async () => {
      await editor.keys.press('Enter');
      await until('three uses', async () => (await editor.lines()).filter((line) => line.includes('queue')).length === 3);
      assert.ok(!(await editor.lines()).some((line) => line.includes('ticket')));
    };
  },

  async 'evaluation: the result stands behind its line'(editor) {
    await until('the results', async () => {
      const lines = await editor.lines();
      const behind = (word, result) => lines.some((line) => line.includes(word) && line.includes(result));
      return behind('%r2', '→ [a]=7, d=6') && behind('%r3', '→ [a]=0, d=7') && behind('%f1', '→ [a]=0.0');
    });
  },

  async 'typing: the diagnostics are those of the last text, however fast it came'(editor) {
    await editor.newLine();
    const typed = [];
    for (let number = 0; number < 4; number += 1) typed.push(`atom.global.add.u32 %r${number}, [%rd2+${number * 4}], ${number};`);
    typed.push('red.global.xor.b64 [%rd2], 1;', 'red.global.xor.s64 [%rd2], 2;');
    for (const line of typed) {
      await editor.keys.type(line, { delay: 8 });
      await editor.keys.press('Enter');
    }
    // Hints stand between the words, so a line's letters are compared after they are taken out.
    await until('every line as typed', async () => {
      const text = await editor.page.evaluate(() =>
        [...document.querySelectorAll('.editor-instance .view-line')].map((line) => line.textContent.replaceAll('\u00a0', ' ').trim()),
      );
      const plain = text.map((line) => line.replace(/\.relaxed|\.gpu/g, ''));
      return typed.every((line) => plain.includes(line));
    });
    // The hints of the last line may still be on their way, and shift what stands after them.
    await until('two squiggles, one of them under .s64', async () => {
      const [squiggles, box] = [await editor.squiggles(), await editor.box('], 2;', '.s64')];
      return squiggles.length === 2 && squiggles.some((one) => Math.abs(one.x - box.x) < 2 && Math.abs(one.width - box.width) < 2);
    });
  },

  async 'menu: a click on the status bar offers what can be done'(editor) {
    await editor.page.locator('.statusbar-item', { hasText: /sm_90 · PTX 8\.5/ }).click();
    const rows = editor.page.locator('.quick-input-list .monaco-list-row');
    await until('nine entries', async () => (await rows.count()) === 9);
    await rows.filter({ hasText: 'Set Target' }).click();
    await rows.filter({ hasText: 'sm_10' }).first().waitFor();
    await editor.keys.type('sm_60');
    return async () => {
      await editor.keys.press('Enter');
      await until('the target', () => editor.page.locator('.statusbar-item', { hasText: /sm_60 \(settings\) · PTX 8\.5 · 2 errors/ }).isVisible());
      await editor.command('PTX Atomics: Set Target');
      await rows.filter({ hasText: 'sm_10' }).first().waitFor();
      await editor.keys.type('Target of the module');
      await editor.keys.press('Enter');
    };
  },

  async 'walkthrough: the first steps have pictures'(editor) {
    await editor.command('Welcome: Open Walkthrough');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Get started with PTX' }).waitFor();
    await editor.keys.type('Get started with PTX');
    await editor.keys.press('Enter');
    const page = editor.page.locator('.gettingStartedContainer');
    await page.getByText('Check for another GPU').waitFor();
    // VS Code declares pictures as 1.5 times as dense.
    await until('the picture', () => page.locator('img').evaluateAll((all) => all.some((one) => one.naturalWidth > 300)));
    return async () => {
      await editor.page.locator('.tab', { hasText: 'Walkthrough' }).locator('.codicon-close').click();
      await editor.box('%r4', '.u32');
    };
  },

  async 'cuda: the same in the asm strings of CUDA C++'(editor) {
    await editor.keys.press('Control+b');
    await editor.open('kernel.cu');
    await editor.squiggleUnder('asm volatile', '.u32');
    return async () => {
      await editor.page.locator('.tab', { hasText: 'kernel.cu' }).locator('.codicon-close').click();
      await editor.box('%r4', '.u32');
      await editor.keys.press('Control+b');
    };
  },

  async 'executions: what the memory model forbids, and why'(editor) {
    await editor.page.setViewportSize({ width: 1500, height: 760 });
    await editor.keys.press('Control+b');
    await editor.open('handover.litmus');
    await editor.click('~exists', 'exists');
    await editor.keys.press('Control+b');
    await editor.command('PTX Atomics: Show Executions');
    const panel = await until('the panel', async () => {
      for (const frame of editor.page.frames()) if ((await frame.locator('#slider').count()) === 1) return frame;
      return undefined;
    });
    await until('what is forbidden', async () => /forbidden by Causality/.test(await panel.locator('#verdict').innerText()));
    await until('its picture, fitted into the pane', () =>
      panel.locator('#picture').evaluate((image) => image.naturalWidth > 400 && image.width <= image.parentElement.clientWidth + 1 && image.width > image.parentElement.clientWidth * 0.7),
    );
    await until('a lens', () => editor.page.locator('.codelens-decoration', { hasText: 'Show Executions' }).isVisible());
    await until('a button', () => editor.page.locator('.editor-actions [aria-label*="Show Executions"]').first().isVisible());
    return async () => {
      const fitted = await panel.locator('#picture').evaluate((image) => image.width);
      await panel.locator('#larger').click();
      await until('a larger picture', () => panel.locator('#picture').evaluate((image, fitted) => image.width > fitted * 1.2, fitted));
      await panel.locator('#fit').click();
      await editor.command('Preferences: Toggle between Light/Dark Themes');
      await editor.page.waitForTimeout(1000);
      await editor.page.screenshot({ path: join(editor.pictures, 'executions-dark.png') });
      await editor.command('Preferences: Toggle between Light/Dark Themes');
      await panel.locator('#slider').focus();
      await editor.keys.press('Home');
      await until('what is allowed', async () => (await panel.locator('#verdict').innerText()) === 'allowed');
      await until('its values', async () => (await panel.locator('#outcome').innerText()) === '1:r0=0 1:r1=0');
      await editor.page.locator('.tab', { hasText: 'Executions of handover' }).locator('.codicon-close').click();
      await editor.page.locator('.tab', { hasText: 'handover.litmus' }).locator('.codicon-close').click();
      await editor.page.setViewportSize({ width: 920, height: 720 });
      await editor.box('%r4', '.u32');
    };
  },

  async 'check: the execution that refutes a kernel'(editor) {
    await editor.page.setViewportSize({ width: 1500, height: 760 });
    await editor.keys.press('Control+b');
    await editor.open('handshake.ptx');
    await editor.click('//! check', 'check');
    await editor.keys.press('Control+b');
    await until('a squiggle', async () => (await editor.squiggles()).length > 0);
    await editor.command('PTX Atomics: Show Executions');
    const panel = await until('the panel', async () => {
      for (const frame of editor.page.frames()) if ((await frame.locator('#slider').count()) === 1) return frame;
      return undefined;
    });
    await until('the problem', async () => /data race/.test(await panel.locator('#outcome').innerText()));
    await until('its picture', () => panel.locator('#picture').evaluate((image) => image.naturalWidth > 400));
    await until('a lens', () => editor.page.locator('.codelens-decoration', { hasText: 'Show Executions' }).isVisible());
    return async () => {
      await editor.page.locator('.tab', { hasText: 'Executions of handshake' }).locator('.codicon-close').click();
      await editor.page.locator('.tab', { hasText: 'handshake.ptx' }).locator('.codicon-close').click();
      await editor.page.setViewportSize({ width: 920, height: 720 });
      await editor.box('%r4', '.u32');
    };
  },

  async 'debugger: a kernel stops at a breakpoint, steps, and stops at a mistake'(editor, code) {
    await editor.page.setViewportSize({ width: 1200, height: 760 });
    const launch = { type: 'ptx-atomics', request: 'launch', name: 'count', program: '${workspaceFolder}/count.ptx', block: 32, args: { total: 'u32[1]' } };
    await writeFile(join(code.workspace, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations: [launch] }));
    await editor.keys.press('Control+b');
    await editor.open('count.ptx');
    await editor.click('add.u32 %r2', 'add');
    await editor.command('Debug: Toggle Breakpoint');
    await editor.page.locator('.codicon-debug-breakpoint').first().waitFor();
    await editor.keys.press('F5');
    const variables = editor.page.locator('.debug-variables .monaco-list-row');
    /** Waits for a register with a value in the list of variables. */
    const register = (name, value) =>
      until(`${name} ${value}`, async () => (await variables.allInnerTexts()).some((row) => row.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim() === `${name} = ${value}`));
    const lineOf = (word) =>
      until(`the stop at ${word}`, async () => {
        const [mark, box] = [await editor.page.locator('.debug-top-stack-frame-line').first().boundingBox(), await editor.box(word, word)];
        return mark && Math.abs(mark.y - box.y) < box.height / 2;
      });
    await lineOf('add.u32 %r2');
    await variables.filter({ hasText: 'Registers' }).first().waitFor();
    await register('%r1', '0');
    await editor.keys.press('F10');
    await lineOf('st.global.u32');
    await register('%r2', '1');
    await editor.page.screenshot({ path: join(editor.pictures, 'debugger-step.png') });
    // Without the breakpoint the run goes on to the data race.
    await editor.click('add.u32 %r2', 'add');
    await editor.command('Debug: Toggle Breakpoint');
    await editor.keys.press('F5');
    const mistake = editor.page.locator('.exception-widget');
    await mistake.waitFor();
    await until('its message', async () => /data-race/.test(await mistake.innerText()));
    return async () => {
      await editor.keys.press('Shift+F5');
      await until('the end', async () => (await editor.page.locator('.debug-toolbar').count()) === 0 || !(await editor.page.locator('.debug-toolbar').isVisible()));
      await editor.page.locator('.tab', { hasText: 'count.ptx' }).locator('.codicon-close').click();
      await editor.command('View: Show Explorer');
      await editor.keys.press('Control+b');
      await editor.keys.press('Control+j');
      await editor.page.setViewportSize({ width: 920, height: 720 });
      await editor.box('%r4', '.u32');
    };
  },

  async 'run: a form asks for the launch, and each line shows what it did'(editor) {
    await editor.page.setViewportSize({ width: 1300, height: 800 });
    await editor.keys.press('Control+b');
    await editor.open('hist.ptx');
    await editor.keys.press('Control+b');
    await editor.page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
    const rows = editor.page.locator('.quick-input-list .monaco-list-row');
    const box = editor.page.locator('.quick-input-widget input');
    /** Chooses a row of the form and gives it a value. */
    const fill = async (row, value) => {
      await rows.filter({ has: editor.page.locator('.label-name', { hasText: new RegExp(`^${row}$`) }) }).first().click();
      await until('the box', async () => (await rows.count()) === 0 || !(await rows.first().isVisible()));
      await box.fill(value);
      await editor.keys.press('Enter');
      await rows.filter({ hasText: value }).first().waitFor();
    };
    await rows.filter({ hasText: 'grid' }).first().waitFor();
    await fill('in', 'u32[64]=iota');
    await fill('out', 'u32[4]');
    await fill('n', 'u32=40');
    await fill('block', '64');
    await editor.page.screenshot({ path: join(editor.pictures, 'run-form.png') });
    await editor.keys.press('Enter');
    const behind = (word, text) => until(`${text} behind ${word}`, async () => (await editor.behind(word)).includes(text));
    await behind('mov.u32 %r2', '×64 · %r2 = 0');
    await behind('red.global', 'up to 8 lanes at one address · 5 transactions per warp');
    await behind('mul.wide.u32 %rd3', '×40 · divergent 1 of 2 times');
    return async () => {
      await editor.page.locator('.notification-list-item', { hasText: 'registers of thread 0 of CTA 0' }).getByText('Choose Thread').click();
      await until('the box', async () => (await box.inputValue()) === '0 0');
      await box.fill('0 5');
      await editor.keys.press('Enter');
      await behind('mov.u32 %r2', '%r2 = 5');
      await editor.page.locator('.notification-list-item', { hasText: 'registers of thread 5 of CTA 0' }).getByText('Show Memory').click();
      const memory = editor.page.locator('.monaco-diff-editor .editor.modified');
      await until('memory afterwards', async () => (await memory.innerText()).replaceAll('\u00a0', ' ').includes('out[3] = 20'));
      await editor.page.waitForTimeout(500);
      await editor.page.screenshot({ path: join(editor.pictures, 'run-memory.png') });
      await editor.page.locator('.tab', { hasText: 'Memory of hist' }).locator('.codicon-close').click();
      await editor.click('mov.u32 %r2', 'mov');
      await editor.command('PTX Atomics: Clear Run');
      await until('nothing behind the lines', async () => !(await editor.behind('mov.u32 %r2')).includes('×'));
      await editor.page.locator('.tab', { hasText: 'hist.ptx' }).locator('.codicon-close').click();
      await editor.page.setViewportSize({ width: 920, height: 720 });
      await editor.box('%r4', '.u32');
    };
  },

  async 'page: the pictures of the extension are shown'(editor) {
    await editor.command('Extensions: Show Enabled Extensions');
    await editor.page.locator('.extensions-list .monaco-list-row', { hasText: 'PTX Atomics' }).first().click();
    await until('the pictures', async () => {
      for (const frame of editor.page.frames()) {
        const sizes = await frame.locator('img').evaluateAll((all) => all.map((one) => one.naturalWidth)).catch(() => []);
        if (sizes.length === 8 && sizes.every((size) => size > 400)) return true;
      }
      return false;
    });
    return async () => {
      await editor.page.locator('.tab', { hasText: 'Extension' }).locator('.codicon-close').click();
      await editor.box('%r4', '.u32');
      await editor.keys.press('Control+b');
    };
  },

  async 'restart: a killed server comes back'(editor, code) {
    const [former] = await until('a server', async () => ((list) => list.length > 0 && list)(await processesOf(code.binary)));
    process.kill(former, 'SIGKILL');
    await until('another server', async () => (await processesOf(code.binary)).some((number) => number !== former));
    await editor.click('%r4', 'or');
    await editor.keys.press('End');
    await editor.keys.press('Control+Shift+Enter');
    await editor.keys.type('red.global.or.s32 [%rd2], 3;');
    await until('a squiggle under what was typed since', async () => {
      const [squiggles, box] = [await editor.squiggles(), await editor.box('], 3;', '.s32')];
      return squiggles.some((one) => Math.abs(one.x - box.x) < 2 && Math.abs(one.y - box.y) < box.height);
    });
  },
};

/** Plays all scenes, or those with the given names, and prints the result of each. Returns how many failed. */
export async function window(code, pictures, names) {
  await mkdir(pictures, { recursive: true });
  await mkdir(join(code.workspace, '.vscode'));
  await writeFile(join(code.workspace, '.vscode/settings.json'), '{}');
  const page = await (await code.browser.newContext({ viewport: { width: 920, height: 720 } })).newPage();
  page.setDefaultTimeout(30000);
  await page.goto(`http://${code.authority}/?folder=${code.workspace}`, { waitUntil: 'domcontentloaded', timeout: 120000 });
  const editor = new Editor(page);
  editor.pictures = pictures;
  await editor.open(FILE);
  await editor.box('%r4', '.u32');
  await page.keyboard.press('Control+b');
  let failed = 0;
  for (const [name, scene] of Object.entries(scenes)) {
    const [short] = name.split(':');
    if (names && !names.includes(short)) continue;
    const picture = join(pictures, `${short}.png`);
    const started = Date.now();
    try {
      const rest = await scene(editor, code);
      // Colours and hints are asked for again while a picture would already be taken.
      await page.waitForTimeout(1000);
      await page.screenshot({ path: picture, animations: 'disabled' });
      const step = STEPS[short];
      if (step) await page.screenshot({ path: picture.replace('.png', '-step.png'), clip: step, animations: 'disabled' });
      await rest?.();
      await editor.revert();
      console.log(`ok - ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      await page.screenshot({ path: picture.replace('.png', '-failed.png') }).catch(() => undefined);
      console.log(`not ok - ${name}: ${error.message}`);
      await page.keyboard.press('Escape');
      await editor.revert().catch((error) => console.log(`   and not reverted: ${error.message}`));
    }
  }
  return failed;
}

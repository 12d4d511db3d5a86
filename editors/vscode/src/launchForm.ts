/** The form for a launch: a row for each option and argument, which opens a box for its value. */
import * as vscode from 'vscode';

/** The options of a launch, each with what it means. */
const OPTIONS: [name: string, meaning: string, example: string][] = [
  ['grid', 'CTAs, one to three sizes', '2,2'],
  ['block', 'threads of a CTA, one to three sizes', '32'],
  ['cluster', 'CTAs of a cluster, one to three sizes', '2'],
  ['shared', 'bytes of dynamic shared memory', '1024'],
  ['seed', 'seed of the schedule: another order of the threads', '1'],
];

/** A launch as after `//! run`: options with values, and arguments. */
interface Fields {
  options: Map<string, string>;
  arguments: [name: string, value: string][];
}

/** Whose registers are shown. */
export interface Thread {
  cta: number;
  thread: number;
}

interface Row extends vscode.QuickPickItem {
  act: 'go' | 'text' | 'thread' | { option: string } | { argument: number };
}

/** Reads a launch; `undefined` if its words are not options and arguments, as while it is being written. */
export function readFields(launch: string): Fields | undefined {
  const words = launch.split(/\s+/).filter((word) => word !== '');
  const fields: Fields = { options: new Map(), arguments: [] };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const equals = word.indexOf('=');
    if (equals > 0) fields.arguments.push([word.slice(0, equals), word.slice(equals + 1)]);
    else if (OPTIONS.some(([name]) => name === word) && words[at + 1] !== undefined) fields.options.set(word, words[(at += 1)] ?? '');
    else return undefined;
  }
  return fields;
}

function written({ options, arguments: given }: Fields): string {
  const set = OPTIONS.map(([name]) => [name, options.get(name) ?? '']).filter(([, value]) => value !== '');
  return [...set.map((pair) => pair.join(' ')), ...given.map((pair) => pair.join('='))].join(' ');
}

export const threadName = ({ cta, thread }: Thread): string => `thread ${thread} of CTA ${cta}`;

/** Asks for a thread, by the numbers of its CTA and in it. */
export async function askForThread(now: Thread): Promise<Thread | undefined> {
  const given = await vscode.window.showInputBox({
    title: 'Thread whose registers are shown',
    prompt: 'number of the CTA, then number of the thread in it: 1 5',
    value: `${now.cta} ${now.thread}`,
    validateInput: (text) => (/^\s*\d+[\s,]+\d+\s*$/.test(text) ? undefined : 'expected two numbers, such as 1 5'),
  });
  const [cta, thread] = (given?.match(/\d+/g) ?? []).map(Number);
  return cta === undefined || thread === undefined ? undefined : { cta, thread };
}

/** Asks for the launch as text; `undefined` if the user cancels. */
function askForText(title: string, launch: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: 'grid, block, cluster, shared and seed, then the arguments: grid 2 block 32 n=u32=5 out=u32[64] in=f32[2]=1,2',
    value: launch,
    ignoreFocusOut: true,
  });
}

function rows(verb: string, launch: string, { options, arguments: given }: Fields, thread: Thread | undefined): Row[] {
  const shown: Row[] = [{ label: `$(play) ${verb}`, description: launch, act: 'go' }];
  shown.push({ label: 'Launch', kind: vscode.QuickPickItemKind.Separator, act: 'go' });
  for (const [option, meaning] of OPTIONS) shown.push({ label: option, description: options.get(option) ?? 'default', detail: meaning, act: { option } });
  if (given.length > 0) shown.push({ label: 'Arguments', kind: vscode.QuickPickItemKind.Separator, act: 'go' });
  given.forEach(([name, value], argument) => shown.push({ label: name, description: value, act: { argument } }));
  shown.push({ label: 'More', kind: vscode.QuickPickItemKind.Separator, act: 'go' });
  if (thread) shown.push({ label: 'Thread', description: threadName(thread), detail: 'whose registers are shown behind the lines', act: 'thread' });
  shown.push({ label: '$(edit) Edit as Text', description: 'as behind //! run', act: 'text' });
  return shown;
}

/** Shows the form until the user starts the launch; `undefined` if the user cancels. Without a thread, none is asked for. */
export async function askForLaunch(title: string, verb: string, launch: string, thread?: Thread): Promise<{ launch: string; thread?: Thread } | undefined> {
  const answer = (launch: string): { launch: string; thread?: Thread } => (thread ? { launch, thread } : { launch });
  for (;;) {
    const fields = readFields(launch);
    if (!fields) {
      const text = await askForText(title, launch);
      return text === undefined ? undefined : answer(text);
    }
    const picked = await vscode.window.showQuickPick(rows(verb, launch, fields, thread), { title, ignoreFocusOut: true, placeHolder: `Enter: ${verb}. Choose a row to change its value.` });
    if (!picked) return undefined;
    if (picked.act === 'go') return answer(launch);
    if (picked.act === 'thread') thread = (await askForThread(thread ?? { cta: 0, thread: 0 })) ?? thread;
    else if (picked.act === 'text') launch = (await askForText(title, launch)) ?? launch;
    else launch = await changed(fields, picked.act);
  }
}

/** Asks for the value of a row; the launch with it, or as before if the user cancels. */
async function changed(fields: Fields, row: { option: string } | { argument: number }): Promise<string> {
  if ('option' in row) {
    const [name, meaning, example] = OPTIONS.find(([name]) => name === row.option) ?? [row.option, '', ''];
    const prompt = `${meaning}, such as ${example}; empty for the default`;
    const value = await vscode.window.showInputBox({ title: name, prompt, value: fields.options.get(name) ?? '', ignoreFocusOut: true });
    if (value !== undefined) fields.options.set(name, value.replaceAll(/\s+/g, ''));
    return written(fields);
  }
  const argument = fields.arguments[row.argument];
  const prompt = 'u32=5, f32[64], u32[4]=1,2,3,4, f32[64]=iota or f32[64]=random(7)';
  const value = argument && (await vscode.window.showInputBox({ title: argument[0], prompt, value: argument[1], ignoreFocusOut: true }));
  if (argument && value !== undefined) argument[1] = value.replaceAll(/\s+/g, '');
  return written(fields);
}

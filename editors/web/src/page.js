/** The page: tabs, examples, the editor, commands and the link. */
import { nextDiagnostic } from '@codemirror/lint';
import { editorOf } from './editor.js';
import { Engines } from './engine.js';
import { EXAMPLES } from './examples.js';
import { showExecutions } from './executions.js';
import { LANGUAGES } from './languages.js';
import { linkTo, stateOf } from './link.js';

const at = (id) => document.getElementById(id);
const engines = Engines.load(new URL('./ptx-atomics.wasm', document.baseURI));

/** The text and options of each tab while another one is open. */
const kept = Object.fromEntries(Object.keys(LANGUAGES).map((tab) => [tab, { text: EXAMPLES[tab][0].text, options: EXAMPLES[tab][0].options ?? '' }]));
/** The tabs whose language the engine has been warmed up for. */
const warm = new Set();
let tab = 'ptx';
let editor;

const textOf = () => editor.view.state.doc.toString();

/** Words of a command line, with quotes. */
const words = (line) => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare);

function showStatus(diagnostics, milliseconds, error) {
  const count = (severity) => diagnostics.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const plural = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  at('status').textContent = error ? `The engine failed: ${error.message}` : `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
  const { dataset } = at('status');
  dataset.milliseconds = milliseconds.toFixed(1);
  dataset.first ??= performance.now().toFixed(0);
  dataset.analyses = String(Number(dataset.analyses ?? 0) + 1);
  at('status').className = error || errors ? 'bad' : warnings ? 'medium' : 'good';
  if (tab === 'litmus' && !error) void refreshExecutions();
}

async function refreshExecutions() {
  const text = textOf();
  const document = { name: LANGUAGES.litmus.name, language: LANGUAGES.litmus.id, text };
  const [found] = await (await engines).ask(document, [['ptxAtomics/executions', { position: { line: 0, character: 0 } }]]);
  if (tab === 'litmus' && textOf() === text) showExecutions(at('result'), found);
}

function open(name, text, options = '') {
  tab = name;
  const { id, name: file, support } = LANGUAGES[name];
  editor?.view.destroy();
  for (const button of document.querySelectorAll('[role=tab]')) {
    const selected = button.dataset.tab === name;
    button.setAttribute('aria-selected', String(selected));
    button.tabIndex = selected ? 0 : -1;
  }
  at('editor').setAttribute('aria-labelledby', `tab-${name}`);
  const offered = EXAMPLES[name].map(({ title }, index) => new Option(title, String(index)));
  at('examples').replaceChildren(new Option('Examples', '', true, true), ...offered);
  at('options').value = options;
  at('commands').hidden = name !== 'ptx';
  at('result').replaceChildren();
  if (name === 'ptx') say('Run executes the kernel in the emulator. Check explores every execution that the memory model allows.', 'note');
  if (name === 'cuda') say('The asm statements are checked as you type: their PTX, their constraints and their clobbers.', 'note');
  editor = editorOf({
    parent: at('editor'),
    language: support,
    text,
    ask: async (now, requests) => (await engines).ask({ name: file, language: id, text: now }, requests),
    analysed: showStatus,
    // Once after a link was opened or made: browsers count these calls, and Safari refuses the hundredth within half a minute.
    edited: () => location.hash && history.replaceState(null, '', location.pathname + location.search),
  });
  at('status').textContent = 'Loading…';
  void start(editor, name);
}

/** The first analysis of a text; of the first one in a language, also what makes the first keys as quick as later ones. */
async function start({ analyse, warmUp }, name) {
  await analyse();
  if (warm.has(name)) return;
  warm.add(name);
  // What fails here fails after a key, too, and is shown then.
  await warmUp().catch(() => undefined);
  at('status').dataset.warm = [...warm].join(' ');
}

function say(text, className) {
  const line = document.createElement('p');
  line.textContent = text;
  line.className = className;
  at('result').replaceChildren(line);
}

function choose(name) {
  kept[tab] = { text: textOf(), options: at('options').value };
  open(name, kept[name].text, kept[name].options);
}

/** Runs `run` or `check` on the text, as in a terminal. */
async function execute(command) {
  const file = LANGUAGES.ptx.name;
  const args = [command, file, ...words(at('options').value)];
  const { commands } = await engines;
  at('stop').hidden = false;
  say('Running…', 'note');
  const { code, output, errors } = await commands.execute({ args, files: { [file]: textOf() } });
  at('stop').hidden = true;
  const shown = document.createElement('pre');
  shown.className = 'terminal';
  shown.textContent = `$ ptx-atomics ${args.join(' ')}\n${output}${errors}`;
  shown.dataset.code = String(code);
  at('result').replaceChildren(shown);
  // On a phone, it is below the window.
  shown.scrollIntoView({ block: 'nearest' });
}

async function share() {
  const link = await linkTo({ tab, options: at('options').value, text: textOf() });
  history.replaceState(null, '', link);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  at('share').textContent = copied ? 'Copied' : 'In the address';
  setTimeout(() => (at('share').textContent = 'Link'), 2000);
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  at('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  at('theme').setAttribute('aria-label', `${at('theme').textContent} theme`);
}

function listen() {
  const names = Object.keys(LANGUAGES);
  for (const button of document.querySelectorAll('[role=tab]')) {
    button.onclick = () => choose(button.dataset.tab);
    button.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      choose(names[(names.indexOf(tab) + step + names.length) % names.length]);
      at(`tab-${tab}`).focus();
    };
  }
  at('examples').onchange = ({ target: { value } }) => {
    const example = EXAMPLES[tab][Number(value)];
    open(tab, example.text, example.options);
    at('examples').value = value;
  };
  at('run').onclick = () => void execute('run');
  at('check').onclick = () => void execute('check');
  at('stop').onclick = async () => (await engines).commands.stop();
  at('share').onclick = () => void share();
  at('status').onclick = () => {
    nextDiagnostic(editor.view);
    editor.view.focus();
  };
  at('theme').onclick = () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  at('options').onkeydown = ({ key }) => key === 'Enter' && void execute('run');
  addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || tab !== 'ptx') return;
    event.preventDefault();
    void execute(event.shiftKey ? 'check' : 'run');
  }, true);
  addEventListener('hashchange', () => void begin());
}

async function begin() {
  const state = await stateOf(location.hash);
  if (state && LANGUAGES[state.tab]) open(state.tab, String(state.text), String(state.options ?? ''));
  else if (!editor) open('ptx', kept.ptx.text, kept.ptx.options);
}

theme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
listen();
void begin();

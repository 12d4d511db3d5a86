// Makes the documentation: the manual in `docs/`, the pages of rules and instructions, and the evidence, as HTML with a search, in SITE/docs.
//   node site.mjs SITE
// Each page is there as Markdown, too, under the same name, and SITE/llms.txt lists these.
// A rule's page is docs/CODE.html, an instruction's docs/NAME.html: what the server's setting `pages` and `lint --pages` take as `docs/{code}.html`.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { SEARCH } from '../src/searchOptions.js';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(web, '../..');
const out = join(resolve(process.argv[2]), 'docs');

const below = (folder) => readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.md')).map((name) => join(folder, name)).sort();
const read = (path) => readFileSync(join(root, path), 'utf8');
const htmlOf = (path) => path.replace(/\.md$/, '.html');
const markdownOf = (target) => target.replace(/\.html$/, '.md');
const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? '';

/** Pages outside of `docs/` with where their HTML goes. */
const AROUND = [
  { path: 'README.md', target: 'index.html', kind: 'Guide' },
  { path: 'docs/README.md', target: 'contents.html', kind: 'Guide' },
  { path: 'CONTRIBUTING.md', target: 'contributing.html', kind: 'Project' },
  { path: 'CHANGELOG.md', target: 'changes.html', kind: 'Project' },
  { path: 'SECURITY.md', target: 'security.html', kind: 'Project' },
  { path: 'server/ARCHITECTURE.md', target: 'architecture.html', kind: 'Project' },
  { path: 'server/lints/INCREMENTAL.md', target: 'incremental-checking.html', kind: 'Project' },
  { path: 'server/python/README.md', target: 'python-module.html', kind: 'Reference', title: 'The Python module' },
  { path: 'editors/README.md', target: 'editors.html', kind: 'Reference' },
  { path: 'editors/vscode/README.md', target: 'vscode.html', kind: 'Reference' },
  { path: 'editors/web/README.md', target: 'playground.html', kind: 'Project' },
  { path: 'tests/README.md', target: 'tests.html', kind: 'Project' },
  { path: 'tests/fuzz/README.md', target: 'fuzzing.html', kind: 'Evidence' },
  { path: 'tests/benchmarks/README.md', target: 'benchmarks.html', kind: 'Evidence' },
  { path: 'tests/benchmarks/litmus.md', target: 'litmus-benchmarks.html', kind: 'Evidence' },
];
const KINDS = { tutorials: 'Tutorial', guides: 'Guide', reference: 'Reference', explanation: 'Explanation' };

/** The sources with where their HTML goes, `docs` of the site being the root. */
function sources() {
  const found = [...AROUND, { path: 'docs/examples.md', target: 'examples.html', kind: 'Examples', text: examples() }];
  for (const [folder, kind] of Object.entries(KINDS)) {
    for (const path of below(`docs/${folder}`)) found.push({ path, target: htmlOf(relative('docs', path)), kind });
  }
  for (const path of below('tests/evidence')) {
    found.push({ path, target: `evidence/${htmlOf(relative('tests/evidence', path)).replace(/README\.html$/, 'index.html')}`, kind: 'Evidence' });
  }
  for (const path of [...below('server/lints/src/rules'), ...below('server/legality/src')]) {
    found.push(path.endsWith('/README.md') ? { path, target: 'rules.html', kind: 'Rules' } : { path, target: `${titleOf(read(path))}.html`, kind: 'Rule' });
  }
  for (const path of below('server/isa/pages')) {
    const name = htmlOf(relative('server/isa/pages', path)).replace(/^sass\//, '');
    found.push(name === 'README.html' ? { path, target: 'instructions.html', kind: 'Instructions' } : { path, target: name, kind: 'Instruction' });
  }
  found.push(...opcodes(new Set(found.map(({ target }) => target))));
  return found.map((source) => {
    const text = withExamples(source.text ?? read(source.path));
    return { ...source, text, title: source.title ?? titleOf(text) };
  });
}

/** A page for each beginning of instructions that is none itself, such as `mbarrier`: the instructions that it begins. */
function opcodes(taken) {
  const pages = below('server/isa/pages').filter((path) => dirname(path) === 'server/isa/pages' && !path.endsWith('README.md'));
  const begun = new Map();
  for (const path of pages) {
    const words = basename(path, '.md').split('.');
    for (let length = 1; length < words.length; length += 1) {
      const prefix = words.slice(0, length).join('.');
      if (!taken.has(`${prefix}.html`)) begun.set(prefix, [...(begun.get(prefix) ?? []), path]);
    }
  }
  const line = (path) => {
    const text = read(path);
    const sentence = /^# .*\n\n(.*?\.(?= |$))/m.exec(text)?.[1] ?? '';
    return `- [\`${titleOf(text)}\`](${basename(path)}): ${sentence}`;
  };
  return [...begun].map(([prefix, paths]) => ({
    path: `server/isa/pages/${prefix}.md`,
    target: `${prefix}.html`,
    kind: 'Instruction',
    text: `# ${prefix}\n\nInstructions that begin with \`${prefix}\`:\n\n${paths.map(line).join('\n')}\n`,
  }));
}

/** `<!-- example: FILE -->` becomes the text of the example. */
const withExamples = (text) => text.replaceAll(/^<!-- example: (\S+?\.(\w+)) -->$/gm, (_, name, ending) => `\`\`\`${ending}\n${readFileSync(join(web, 'examples', name), 'utf8')}\`\`\``);

/** The playground's examples as a page. */
function examples() {
  const languages = { ptx: 'PTX', cu: 'CUDA C++', litmus: 'Litmus tests' };
  const parts = Object.entries(languages).map(([ending, title]) => {
    const files = readdirSync(join(web, 'examples')).filter((name) => name.endsWith(`.${ending}`)).sort();
    const texts = files.map((name) => `### ${name.replace(/\..*/, '').replaceAll('_', ' ')}\n\n\`\`\`${ending}\n${readFileSync(join(web, 'examples', name), 'utf8')}\`\`\`\n`);
    return `## ${title}\n\n${texts.join('\n')}`;
  });
  return `# Examples\n\n${parts.join('\n')}`;
}

const slug = (text) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The playground with a text, as `src/link.js` writes its links. */
function playground(tab, text) {
  const state = deflateRawSync(JSON.stringify({ tab, options: '', text })).toString('base64url');
  return `index.html#${state}`;
}

const TABS = { litmus: () => 'litmus', ptx: (text) => text.includes('.version') && 'ptx', cu: () => 'cuda' };

/** How Markdown becomes HTML: headings with anchors, links between pages, code with a link to the playground. */
function renderer(targets) {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const { rules } = markdown.renderer;
  rules.heading_open = (tokens, at, _, env) => {
    const text = tokens[at + 1].children.filter(({ type }) => /text|code/.test(type)).map(({ content }) => content).join('');
    const count = (env.used[slug(text)] = (env.used[slug(text)] ?? -1) + 1);
    const id = count ? `${slug(text)}-${count}` : slug(text);
    env.sections.push({ title: text, id, text: '' });
    return `<${tokens[at].tag} id="${escaped(id)}">`;
  };
  rules.fence = (tokens, at, _, env) => {
    const { content, info } = tokens[at];
    const tab = TABS[info.trim()]?.(content);
    const link = tab ? `<a class="open" href="${env.up}../${playground(tab, content)}">Open in the playground</a>` : '';
    return `<div class="code"><pre tabindex="0"><code>${escaped(content)}</code></pre>${link}</div>\n`;
  };
  // Comments of the sources are instructions to tests.
  markdown.core.ruler.before('normalize', 'comments', (state) => {
    state.src = state.src.replaceAll(/^<!--[\s\S]*?-->\s*$/gm, '');
  });
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    for (const { children, type, content } of tokens) {
      if (type === 'inline' && env.sections.length === 0) env.lead ??= content;
      if (children) linked(children, env, targets);
    }
  });
  return markdown;
}

/** Copies a picture beside the pages. */
function image(path) {
  const target = `images/${basename(path)}`;
  mkdirSync(join(out, 'images'), { recursive: true });
  copyFileSync(join(root, path), join(out, target));
  return target;
}

/** Links to files of the repository that the site has not become text; the others lead to their pages. */
function linked(children, env, targets) {
  let opened;
  for (const token of children) {
    if (token.type === 'link_open') {
      const [path, fragment] = token.attrGet('href').split('#');
      const target = path && targets.get(join(dirname(env.path), decodeURIComponent(path)));
      opened = /^https?:/.test(path) || !path || target;
      if (target) token.attrSet('href', env.up + encodeURI(target) + (fragment ? `#${fragment}` : ''));
    }
    if (/^link_/.test(token.type) && !opened) Object.assign(token, { type: 'text', tag: '', content: '' });
    if (token.type === 'image') token.attrSet('src', env.up + image(join(dirname(env.path), token.attrGet('src'))));
  }
}

const page = ({ title, up, target, kind }, body, contents) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<title>${escaped(title)} · ptx-atomics</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}docs.css">
<link rel="alternate" type="text/markdown" href="${up}${encodeURI(markdownOf(target))}">
<script type="module" src="${up}search.js"></script>
</head>
<body>
<header>
<a class="name" href="${up}index.html">ptx-atomics</a>
<nav aria-label="Documentation"><a href="${up}contents.html">Manual</a> <a href="${up}rules.html">Rules</a> <a href="${up}instructions.html">Instructions</a> <a href="${up}examples.html">Examples</a> <a href="${up}../index.html">Playground</a></nav>
<div class="search"><input id="search" type="search" placeholder="Search (/)" aria-label="Search" autocomplete="off" spellcheck="false" data-root="${up}"><ol id="found" hidden></ol></div>
</header>
<div class="columns">
${BESIDE.includes(kind) ? `<nav class="contents" aria-label="Contents">\n${contents}</nav>\n` : ''}<main>
${body}<footer><a href="${up}${encodeURI(markdownOf(target))}">This page as Markdown</a></footer>
</main>
</div>
</body>
</html>
`;

/** The kinds of pages that have the table of contents beside them, where there is room. */
const BESIDE = ['Guide', 'Tutorial', 'Reference', 'Explanation', 'Project'];

/** A text whose parts outside of blocks of code are changed. */
const outsideOfCode = (text, change) => text.split(/^(```[\s\S]*?^```)/m).map((part, at) => (at % 2 ? part : change(part))).join('');

/** A page as Markdown: links lead to other pages as Markdown, or are text where the site has no such page. */
function asMarkdown(source, targets) {
  const up = '../'.repeat(source.target.split('/').length - 1);
  const link = (whole, mark, label, path, fragment = '') => {
    if (/^https?:/.test(path) || !path) return whole;
    const file = join(dirname(source.path), decodeURIComponent(path));
    if (mark) return `![${label}](${up}${image(file)})`;
    const target = targets.get(file);
    return target ? `[${label}](${up}${encodeURI(markdownOf(target))}${fragment})` : label;
  };
  const change = (part) => part.replaceAll(/^<!--[\s\S]*?-->\s*$/gm, '').replaceAll(/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g, (...found) => link(...found));
  return outsideOfCode(source.text, change);
}

/** The headings of `llms.txt` with the kinds below them. */
const PARTS = { Tutorials: ['Tutorial'], Guides: ['Guide'], Reference: ['Reference', 'Rules', 'Instructions'], Explanation: ['Explanation'], Project: ['Project'], Examples: ['Examples'], Rules: ['Rule'], Instructions: ['Instruction'], Evidence: ['Evidence'] };

/** The list of all pages as Markdown. */
function listed(pages) {
  const line = ({ title, target }) => `- [${title}](docs/${encodeURI(markdownOf(target))})`;
  const parts = Object.entries(PARTS).map(([heading, kinds]) => `## ${heading}\n\n${pages.filter(({ kind }) => kinds.includes(kind)).map(line).join('\n')}\n`);
  const [, sentence] = /^# .*\n\n(.+)$/m.exec(pages[0].text);
  return `# ptx-atomics\n\n> ${sentence}\n\n${parts.join('\n')}`;
}

/** The text of each section, for the search. */
function sectionsOf(markdown, source, env) {
  const parts = source.text.replaceAll(/<!--[\s\S]*?-->/g, '').split(/^#{1,6} .*$/m).slice(1);
  return env.sections.map(({ title, id }, at) => ({
    id: `${source.target}#${id}`,
    page: source.title,
    title: at === 0 ? source.title : title,
    kind: source.kind,
    text: (parts[at] ?? '').replaceAll(/[|`*#\[\]]|\(http[^)]*\)/g, ' ').slice(0, 600),
  }));
}

const pages = sources();
const targets = new Map(pages.map(({ path, target }) => [path, target]));
const markdown = renderer(targets);
const search = new MiniSearch(SEARCH);
const rendered = (source, text) => {
  const env = { path: source.path, up: '../'.repeat(source.target.split('/').length - 1), used: {}, sections: [] };
  return markdown.render(text, env);
};
for (const source of pages) {
  const env = { path: source.path, up: '../'.repeat(source.target.split('/').length - 1), used: {}, sections: [] };
  const file = join(out, source.target);
  mkdirSync(dirname(file), { recursive: true });
  const manual = { ...source, path: 'docs/README.md' };
  const contents = BESIDE.includes(source.kind) ? rendered(manual, read(manual.path).replace(/^# .*$/m, '').replaceAll(/\): .*$/gm, ')')).replaceAll(/<h2 id="[^"]*">/g, '<h2>') : '';
  const here = `<a href="${env.up}${encodeURI(source.target)}"`;
  writeFileSync(file, page({ ...source, up: env.up }, markdown.render(source.text, env), contents.replace(here, `${here} aria-current="page"`)));
  writeFileSync(markdownOf(file), asMarkdown(source, targets));
  search.addAll(sectionsOf(markdown, source, env));
}
writeFileSync(join(out, 'search.json'), JSON.stringify(search));
writeFileSync(join(out, '..', 'llms.txt'), listed(pages));
copyFileSync(join(web, 'src/docs.css'), join(out, 'docs.css'));
await build({ absWorkingDir: web, entryPoints: { search: 'src/search.js' }, outdir: out, bundle: true, minify: true, format: 'esm', target: 'es2022', legalComments: 'linked' });
console.log(`${pages.length} pages`);

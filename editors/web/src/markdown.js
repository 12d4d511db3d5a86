/** The Markdown of hovers as elements. Text becomes text nodes only, so nothing in it is markup for the page. */

/** A link that opens beside the editor, which keeps its text. Other schemes than the web's stay text. */
function anchor(target, parent) {
  if (!/^https?:\/\//.test(target)) return parent;
  const element = parent.appendChild(document.createElement('a'));
  Object.assign(element, { href: target, target: '_blank', rel: 'noopener' });
  return element;
}

function inline(text, parent) {
  for (const part of text.split(/(\*\*.+?\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/)) {
    const code = /^`([^`]+)`$/.exec(part);
    const strong = /^\*\*(.+)\*\*$/.exec(part);
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    if (strong) inline(strong[1], parent.appendChild(document.createElement('strong')));
    else if (code) parent.appendChild(document.createElement('code')).textContent = code[1];
    else if (link) inline(link[1], anchor(link[2], parent));
    else parent.append(part);
  }
}

const cells = (row) => row.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim());

function table(rows) {
  const element = document.createElement('table');
  for (const [at, row] of rows.entries()) {
    if (at === 1) continue;
    const line = element.insertRow();
    for (const cell of cells(row)) inline(cell, line.appendChild(document.createElement(at ? 'td' : 'th')));
  }
  return element;
}

export function markdown(text) {
  const root = document.createElement('div');
  root.className = 'markdown';
  for (const [at, part] of text.split(/^```.*$/m).entries()) {
    if (at % 2) {
      root.appendChild(document.createElement('pre')).textContent = part.replace(/^\n|\n$/g, '');
      continue;
    }
    for (const block of part.split(/\n{2,}/).filter((block) => block.trim())) {
      const lines = block.trim().split('\n');
      if (lines[0].startsWith('|')) root.append(table(lines));
      else if (/^[-*] /.test(lines[0])) {
        const list = root.appendChild(document.createElement('ul'));
        for (const line of lines) inline(line.replace(/^\s*[-*] /, ''), list.appendChild(document.createElement('li')));
      } else if (/^(-{3,}|\*{3,})$/.test(lines[0])) root.append(document.createElement('hr'));
      else inline(lines.join(' ').replace(/^#+ /, ''), root.appendChild(document.createElement('p')));
    }
  }
  return root;
}

/** Whether a text is what its ending promises: `.ptx`, `.sass` and `.litmus` are shared with others. Must not know the editor. */

/** How many lines are looked at; `.version` stands behind comments, which may be long. */
const LINES = 500;

/** An empty text may become PTX; any other holds a `.version` or `.target` where lines begin. PreTeXt and laser scans do not. */
export function isPtx(text: string): boolean {
  if (text.trim() === '') return true;
  return text.split(/\r?\n/, LINES).some((line) => /^\s*\.(version|target)\s/.test(line));
}

/** A litmus test names its architecture first. */
export function isPtxLitmus(text: string): boolean {
  return text.trim() === '' || /^\s*PTX\b/.test(text);
}

/**
 * Disassembly says of itself what it is, or holds an instruction: perhaps an address, a brace or a guard, a word in capitals,
 * and a `;`. Style sheets hold none.
 */
export function isSass(text: string): boolean {
  const code = /\.headerflags|code for sm_|^\s*(\/\*[0-9a-fA-F]+\*\/)?\s*\{?\s*(@\S+\s+)?[A-Z][A-Z0-9]+(\.\w+)*([ \t].*)?;/;
  return text.trim() === '' || text.split(/\r?\n/, LINES).some((line) => code.test(line));
}

/** What the file is instead, as far as it matters for colours. */
export function otherLanguage(text: string): 'xml' | 'plaintext' {
  return /^\s*</.test(text) ? 'xml' : 'plaintext';
}

/** The module's target and PTX version as its head states them. */
export function moduleHead(text: string): { target?: string; version?: string } {
  const lines = text.split(/\r?\n/, LINES);
  const word = (directive: string): string | undefined => {
    const pattern = new RegExp(`^\\s*\\.${directive}\\s+([\\w.]+)`);
    return lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
  };
  const head: { target?: string; version?: string } = {};
  const target = word('target');
  const version = word('version');
  if (target !== undefined) head.target = target;
  if (version !== undefined) head.version = version;
  return head;
}

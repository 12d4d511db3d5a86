/** Detects by its text whether a file holds what its extension suggests: `.ptx`, `.sass` and `.litmus` are also used by other languages. */

/** An empty text may become PTX; any other has a `.version` or `.target` at the beginning of a line. PreTeXt and laser scans have neither. */
export function isPtx(text: string): boolean {
  return text.trim() === '' || /^[ \t]*\.(version|target)\s/m.test(text);
}

/** A litmus test names its architecture first. */
export function isPtxLitmus(text: string): boolean {
  return text.trim() === '' || /^\s*PTX\b/.test(text);
}

/** What disassemblers print before the first instruction. It may be thousands of lines before it, after debug sections. */
const SASS_HEAD = /^[ \t]*\.(headerflags|elftype)\s|code for sm_/m;

/** An optional address, brace and guard, a word in capitals, and a `;`. Style sheets have no such line. */
const SASS_INSTRUCTION = /^[ \t]*(\/\*[0-9a-fA-F]+\*\/[ \t]*)?(\{[ \t]*)?(@\S+[ \t]+)?[A-Z][A-Z0-9]+(\.\w+)*([ \t].*)?;/m;

export function isSass(text: string): boolean {
  return text.trim() === '' || SASS_HEAD.test(text) || SASS_INSTRUCTION.test(text);
}

/** The language of the text instead, as far as highlighting needs it. */
export function otherLanguage(text: string): 'xml' | 'plaintext' {
  return /^\s*</.test(text) ? 'xml' : 'plaintext';
}

/** The target and PTX version in the module's directives. */
export function moduleHead(text: string): { target?: string; version?: string } {
  const word = (directive: string): string | undefined => new RegExp(`^[ \\t]*\\.${directive}\\s+([\\w.]+)`, 'm').exec(text)?.[1];
  const head: { target?: string; version?: string } = {};
  const target = word('target');
  const version = word('version');
  if (target !== undefined) head.target = target;
  if (version !== undefined) head.version = version;
  return head;
}

/** Whether C++ has an `asm` statement with an instruction of PTX: the keyword, and soon after it a string with an opcode and a modifier. */
export function hasPtxAsm(text: string): boolean {
  const opcode = /"[^"\n]*\b(?:atom|red|multimem|fence|membar|mbarrier|ld|st|cp|mov|bar|barrier|wgmma|mma|setp)\.[a-z]/;
  for (const match of text.matchAll(/\b(?:asm|__asm__|__asm)\b/g)) {
    if (opcode.test(text.slice(match.index, match.index + 500))) return true;
  }
  return false;
}

/** Whether Python has a call with inline assembly, and soon after its name an opcode of PTX with a modifier; or device code in C++ that has such statements. */
export function hasPtxCall(text: string): boolean {
  const opcode = /\b(?:atom|red|multimem|fence|membar|mbarrier|ld|st|cp|cvt|mov|bar|barrier|wgmma|mma|setp)\.[a-z]/;
  for (const match of text.matchAll(/\b(?:inline_asm_elementwise|inline_asm|inline_ptx|InlineAsm)\(/g)) {
    if (opcode.test(text.slice(match.index, match.index + 1000))) return true;
  }
  return /\b__(?:global|device)__\b/.test(text) && hasPtxAsm(text);
}

/** The lines of launches in comments of PTX that are checked. */
export function checkedLaunches(language: string, text: string): number[] {
  if (language !== 'ptx') return [];
  return text.split('\n').flatMap((line, number) => (/^\s*\/\/!\s*check\b/.test(line) ? [number] : []));
}

/** The lines on which litmus tests begin: a file is one; in PTX the keyword begins one, and so does the first line of other comments. */
export function litmusTests(language: string, text: string): number[] {
  const lines = text.split('\n');
  const numbers = (begins: (line: string, before: string) => boolean): number[] =>
    lines.flatMap((line, number) => (begins(line, lines[number - 1] ?? '') ? [number] : []));
  if (language === 'ptx-litmus') return numbers((line) => /^\s*PTX\b/.test(line)).slice(0, 1);
  const marked = (line: string): boolean => /^\s*(\/\/!|\/\*!|\*)/.test(line);
  return numbers((line, before) => {
    const word = /^\s*\/[/*]!\s*(litmus|thread|init)\b/.exec(line)?.[1];
    return word === 'litmus' || (word !== undefined && !marked(before));
  });
}

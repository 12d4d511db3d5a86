/** Values while debugging: of the register or variable under the mouse, and behind the lines up to the one where the kernel has stopped. */
import * as vscode from 'vscode';

const REGISTER = /%[A-Za-z_$][\w$]*(?:\.[xyzw])?/g;
/** A name that an address begins with. */
const SYMBOL = /(?<=\[\s*)[A-Za-z_$][\w$]*/g;

/** The registers and the symbols of a line that have values, without those of declarations and comments. */
export function namesIn(text: string): { name: string; at: number }[] {
  const code = text.replace(/\/\/.*$/, '');
  if (/^\s*\./.test(code)) return [];
  return [REGISTER, SYMBOL].flatMap((pattern) => [...code.matchAll(pattern)].map((match) => ({ name: match[0], at: match.index })));
}

const rangeOf = (line: number, { name, at }: { name: string; at: number }): vscode.Range => new vscode.Range(line, at, line, at + name.length);

export const debugValues: vscode.EvaluatableExpressionProvider & vscode.InlineValuesProvider = {
  provideEvaluatableExpression(document, position) {
    const named = namesIn(document.lineAt(position).text).find(({ name, at }) => at <= position.character && position.character <= at + name.length);
    return named && new vscode.EvaluatableExpression(rangeOf(position.line, named), named.name);
  },

  provideInlineValues(document, viewPort, context) {
    const last = Math.min(context.stoppedLocation.end.line, viewPort.end.line);
    const values: vscode.InlineValue[] = [];
    for (let line = last; line >= viewPort.start.line; line -= 1) {
      const { text } = document.lineAt(line);
      // The registers of the function before have other values.
      if (/^\s*\}/.test(text) && line < last) break;
      const seen = new Set<string>();
      for (const named of namesIn(text).filter(({ name }) => name.startsWith('%'))) {
        if (!seen.has(named.name)) values.push(new vscode.InlineValueEvaluatableExpression(rangeOf(line, named), named.name));
        seen.add(named.name);
      }
    }
    return values;
  },
};

/** Positions of the protocol and of the editor; both count UTF-16 code units. */

export function offsetOf(doc, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const { from, length } = doc.line(line + 1);
  return from + Math.min(character, length);
}

export function positionOf(doc, offset) {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

export const rangeOf = (doc, { start, end }) => ({ from: offsetOf(doc, start), to: offsetOf(doc, end) });

/** Edits of the protocol as changes of the editor. */
export const changesOf = (doc, edits) => edits.map(({ range, newText }) => ({ ...rangeOf(doc, range), insert: newText }));

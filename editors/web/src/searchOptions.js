/** How the search of the documentation reads its sections, when the index is built and when it is asked. */
export const SEARCH = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'kind'],
  // Codes have hyphens, instructions dots, registers percent signs: the whole word is found, and its parts are.
  tokenize: (text) => {
    const words = text.split(/[\s,;:()"'<>=]+/).map((word) => word.replace(/[.!?]+$/, ''));
    return words.flatMap((word) => [word, ...word.split(/[-.%_]+/).filter((part) => part !== word)]).filter(Boolean);
  },
  // The beginning of a page comes before its sections, the manual before the records behind it.
  searchOptions: { tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean), boostDocument: (id, word, { title, page, kind }) => (title === page ? 3 : 1) * (/Evidence|Project/.test(kind) ? 0.2 : 1), boost: { page: 4, title: 3 }, prefix: true, fuzzy: (word) => (word.length > 4 ? 0.2 : false), combineWith: 'AND' },
};

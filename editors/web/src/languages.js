/** The three languages, with colours by tokens. What a name means is up to the engine. */
import { cpp } from '@codemirror/lang-cpp';
import { StreamLanguage } from '@codemirror/language';

const LINE = /^\/\/.*/;

const ptx = StreamLanguage.define({
  name: 'ptx',
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(LINE)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(/^0[fFdD][0-9a-fA-F]+|^0[xX][0-9a-fA-F]+U?|^\d[\w.]*/)) return 'number';
    if (stream.match(/^%[\w$]+(\.[xyzw])?/)) return 'variableName';
    if (stream.match(/^[\w$]+:(?!:)/)) return 'labelName';
    if (stream.match(/^\.[a-zA-Z_]\w*/)) return 'modifier';
    if (stream.match(/^[a-zA-Z_$][\w$]*(?=[.\s].*;)/)) return 'keyword';
    if (stream.match(/^[a-zA-Z_$][\w$]*(::\w+)?/)) return 'name';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});

const litmus = StreamLanguage.define({
  name: 'litmus',
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(LINE)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(/^(PTX|exists|forall|~exists|not|filter|locations)\b/)) return 'keyword';
    if (stream.match(/^P\d+(@[\w ,]+(?=[|;]))?/)) return 'labelName';
    if (stream.match(/^-?\d\w*/)) return 'number';
    if (stream.match(/^[a-z]\w*(?=\.)/)) return 'keyword';
    if (stream.match(/^\.\w+(::\w+)?/)) return 'modifier';
    if (stream.match(/^\w+/)) return 'name';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
});

export const LANGUAGES = {
  ptx: { title: 'PTX', name: 'kernel.ptx', id: 'ptx', support: ptx },
  cuda: { title: 'CUDA C++', name: 'kernel.cu', id: 'cuda-cpp', support: cpp() },
  litmus: { title: 'Litmus', name: 'test.litmus', id: 'ptx-litmus', support: litmus },
};

/** The editor, and what the engine tells it: diagnostics with their fixes, hints, hover and completion. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, nextDiagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, RangeSetBuilder, StateEffect, StateField, Text } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { markdown } from './markdown.js';
import { changesOf, offsetOf, positionOf, rangeOf } from './positions.js';
import { warmUp } from './warmUp.js';

const SEVERITIES = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' };

const colours = HighlightStyle.define([
  { tag: tags.comment, class: 'tok-comment' },
  { tag: tags.string, class: 'tok-string' },
  { tag: tags.number, class: 'tok-number' },
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], class: 'tok-keyword' },
  { tag: [tags.modifier, tags.typeName, tags.processingInstruction], class: 'tok-modifier' },
  { tag: tags.labelName, class: 'tok-label' },
  { tag: tags.variableName, class: 'tok-variable' },
]);

/** The end of a hint's text, which is not part of the document. */
class Hint extends WidgetType {
  constructor(label, tooltip, apart) {
    super();
    Object.assign(this, { label, tooltip, apart });
  }

  eq(other) {
    return this.label === other.label && this.tooltip === other.tooltip && this.apart === other.apart;
  }

  toDOM() {
    const element = document.createElement('span');
    element.className = this.apart ? 'hint apart' : 'hint';
    element.textContent = this.label;
    element.title = this.tooltip;
    return element;
  }
}

const setHints = StateEffect.define();

const hints = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setHints)) return effect.value;
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function hintDecorations(doc, found) {
  const builder = new RangeSetBuilder();
  for (const { position, label, tooltip, paddingLeft } of found) {
    const text = typeof tooltip === 'string' ? tooltip : (tooltip?.value ?? '');
    const widget = new Hint(label, text.replaceAll(/[*`]/g, ''), paddingLeft);
    const at = offsetOf(doc, position);
    builder.add(at, at, Decoration.widget({ widget, side: 1 }));
  }
  return builder.finish();
}

/** Applies a fix unless the text has changed since. */
const action = (doc, { title, edits }) => ({
  name: title.replaceAll('`', ''),
  apply: (view) => view.state.doc.eq(doc) && view.dispatch({ changes: changesOf(doc, edits), userEvent: 'input.fix' }),
});

/** A text whose words in backticks are code. */
const withCode = (text) => text.split('`').map((part, at) => (at % 2 ? Object.assign(document.createElement('code'), { textContent: part }) : part));

/** A message whose code links to the rule's page. */
function messageOf(found) {
  const element = document.createElement('span');
  element.append(...withCode([found.message, ...relatedOf(found)].join('\n')), ' ');
  if (found.codeDescription) element.append(Object.assign(document.createElement('a'), { href: found.codeDescription.href, target: '_blank', rel: 'noopener', textContent: found.code }));
  return element;
}

const relatedOf = (found) => (found.relatedInformation ?? []).map(({ location, message }) => `line ${location.range.start.line + 1}: ${message}`);

const diagnosticOf = (doc) => (found) => ({
  ...rangeOf(doc, found.range),
  severity: SEVERITIES[found.severity] ?? 'info',
  source: found.codeDescription ? undefined : found.code,
  renderMessage: () => messageOf(found),
  message: [found.message, ...relatedOf(found)].join('\n'),
  actions: (found.data?.fixes ?? []).slice(0, 4).map((fix) => action(doc, fix)),
});

/** An editor of one text. `ask(requests)` asks the engine about the current text, `changed` is called after every analysis. */
export function editorOf({ parent, language, text, ask, analysed, edited }) {
  const wholeOf = (doc) => ({ range: { start: { line: 0, character: 0 }, end: positionOf(doc, doc.length) } });
  const askAll = (doc) => ask(doc.toString(), [['textDocument/diagnostic', {}], ['textDocument/inlayHint', wholeOf(doc)]]);
  const askCompletion = (doc, at) => ask(doc.toString(), [['textDocument/completion', { position: positionOf(doc, at) }]]);
  let running = false;
  let wanted = false;
  /** Asks about the newest text; edits meanwhile lead to one more question. */
  async function analyse(view) {
    wanted = true;
    if (running) return;
    running = true;
    while (wanted) {
      wanted = false;
      const { doc } = view.state;
      const begin = performance.now();
      try {
        const [report, found] = await askAll(doc);
        if (!view.state.doc.eq(doc)) continue;
        const diagnostics = (report?.items ?? []).map(diagnosticOf(doc));
        view.dispatch(setDiagnostics(view.state, diagnostics), { effects: setHints.of(hintDecorations(doc, found ?? [])) });
        analysed(diagnostics, performance.now() - begin);
      } catch (error) {
        analysed([], 0, error);
      }
    }
    running = false;
  }

  const hover = hoverTooltip(async (view, at) => {
    const { doc } = view.state;
    const [found] = await ask(doc.toString(), [['textDocument/hover', { position: positionOf(doc, at) }]]);
    if (!found) return null;
    const { from, to } = found.range ? rangeOf(doc, found.range) : { from: at, to: at };
    return { pos: from, end: to, above: false, create: () => ({ dom: markdown(found.contents.value) }) };
  });

  const complete = async (context) => {
    const { doc } = context.state;
    const before = context.matchBefore(/[\w.%$:]+/);
    if (!context.explicit && !before) return null;
    const [found] = await askCompletion(doc, context.pos);
    const items = Array.isArray(found) ? found : (found?.items ?? []);
    if (!items.length) return null;
    const from = items[0].textEdit ? offsetOf(doc, items[0].textEdit.range.start) : context.pos;
    const options = items.slice(0, 200).map((item, at) => ({
      label: item.filterText ?? item.label,
      displayLabel: item.label,
      detail: item.detail,
      info: item.documentation && (() => markdown(item.documentation.value ?? item.documentation)),
      apply: item.textEdit?.newText ?? item.label,
      boost: 99 - at,
    }));
    return { from, options, validFor: /^[%.$]?[\w$:]*$/ };
  };

  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], activateOnTypingDelay: 50, maxRenderedOptions: 20 }),
        syntaxHighlighting(colours),
        language,
        lintGutter(),
        hints,
        hover,
        EditorState.tabSize.of(4),
        EditorView.contentAttributes.of({ 'aria-label': 'Source text' }),
        keymap.of([{ key: 'F8', run: nextDiagnostic }, ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          edited();
          void analyse(update.view);
        }),
      ],
    }),
  });
  const docOf = (now) => Text.of(now.split('\n'));
  const warm = () =>
    warmUp({
      textNow: () => (view.dom.isConnected ? view.state.doc.toString() : undefined),
      analyse: (now) => askAll(docOf(now)),
      complete: (now, at) => askCompletion(docOf(now), at),
    });
  return { view, analyse: () => analyse(view), warmUp: warm };
}

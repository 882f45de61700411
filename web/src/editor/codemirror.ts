// The real editor, a chunk of its own that is loaded after the first paint. It lives in a shadow root: there CodeMirror puts
// its styles into constructed sheets, which a strict content security policy allows.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
  ensureSyntaxTree,
} from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { ChangeSet, EditorState, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { tags } from '@lezer/highlight';
import type { Diagnostic } from '#wasm';
import { unitsBefore } from './columns';
import type { EditorHandle, EditorHost } from './handle';

const setLines = StateEffect.define<readonly { from: number; to: number }[]>();

/** The lines of the rule that acted. They move with edits. */
const ruleLines = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let next = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLines)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      const { doc } = transaction.state;
      for (const { from, to } of effect.value) {
        for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
          builder.add(line.from, line.from, Decoration.line({ class: 'cm-rule' }));
          if (line.to >= to || line.number === doc.lines) break;
        }
      }
      next = builder.finish();
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--yaml-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--yaml-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--yaml-number)' },
  { tag: tags.comment, color: 'var(--yaml-comment)', fontStyle: 'italic' },
  { tag: [tags.labelName, tags.typeName, tags.meta], color: 'var(--muted)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px' },
  '.cm-content': { padding: '8px 0 40px', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--muted)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 4px', minWidth: '32px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine:not(.cm-rule)': {
    backgroundColor: 'color-mix(in srgb, var(--sunken) 70%, transparent)',
  },
  '.cm-rule': { backgroundColor: 'var(--ember-soft)', boxShadow: 'inset 3px 0 0 var(--ember)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--edge) 40%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--line)', outline: 'none' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shade)',
    fontFamily: 'var(--sans)',
  },
  '.cm-diagnostic': { padding: '4px 8px', borderLeft: '3px solid var(--edge)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--note)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--error)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px solid var(--warning)' },
  '.cm-lintRange-info': { backgroundImage: 'none', borderBottom: '2px solid var(--note)' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 2px' },
  '.cm-lint-marker': { width: '10px', height: '10px', content: '""', borderRadius: '50%', marginTop: '4px' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--error)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--warning)', borderRadius: '2px' },
  '.cm-lint-marker-info': { content: '""', backgroundColor: 'var(--note)' },
});

/** The offset of a place; past the end of the text it is the end. */
function offsetOf(doc: Text, line: number, column: number): number {
  if (line > doc.lines) return doc.length;
  const at = doc.line(line);
  return at.from + unitsBefore(at.text, column);
}

const kSeverities = { error: 'error', warning: 'warning', note: 'info' } as const;

function markOf(doc: Text, diagnostic: Diagnostic): Mark | null {
  const { line, column, endLine, endColumn, severity, message, hint } = diagnostic;
  if (!line || line > doc.lines) return null;
  const from = offsetOf(doc, line, column ?? 1);
  let to = endLine ? offsetOf(doc, endLine, endColumn ?? 1) : from;
  if (to <= from) {
    // No end is known: the word that begins here, or one character.
    const rest = doc.sliceString(from, doc.line(line).to);
    to = from + (/^\S+/.exec(rest)?.[0].length ?? Math.min(1, rest.length));
  }
  return { from, to, severity: kSeverities[severity], message: hint ? `${message}\n${hint}` : message };
}

export function createEditor(host: HTMLElement, options: EditorHost): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  /** What was edited since the trace was started: places of the engine refer to the text before that. */
  let sinceStart: ChangeSet | null = null;
  let startText: Text | null = null;
  let silent = false;

  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        indentUnit.of('  '),
        yaml(),
        syntaxHighlighting(highlight),
        theme,
        ruleLines,
        EditorView.contentAttributes.of({
          'aria-label': 'Manifests, YAML',
          'aria-describedby': 'editor-hint',
          spellcheck: 'false',
          tabindex: '0',
        }),
        keymap.of([
          { key: 'Mod-Enter', run: () => (options.onSubmit(), true) },
          indentWithTab,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.domEventObservers({
          keydown(event, editor) {
            if (event.key !== 'Escape') return;
            // Longer than CodeMirror's own two seconds, which are too short for some.
            queueMicrotask(() => editor.setTabFocusMode(10_000));
            options.onEscape();
          },
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          sinceStart = sinceStart ? sinceStart.compose(update.changes) : null;
          if (!silent) options.onEdit(update.state.doc.toString());
        }),
      ],
    }),
  });

  /** Where the line of the started text is now; null if it is not known. */
  function nowAt(line: number, column: number): number | null {
    if (!startText || !sinceStart || line > startText.lines) return null;
    return sinceStart.mapPos(offsetOf(startText, line, column), 1);
  }

  /** The end of the item that begins at `from`: the engine gives starts only, the syntax tree knows the rest. */
  function endOf(from: number): number {
    // The tree is made in idle moments; a rule is rarely longer than this, and 50 ms are not noticed.
    const tree = ensureSyntaxTree(view.state, Math.min(from + 4096, view.state.doc.length), 50);
    if (!tree) return from;
    const { from: lineStart } = view.state.doc.lineAt(from);
    let end = from;
    for (let node: SyntaxNode | null = tree.resolveInner(from, 1); node; node = node.parent) {
      if (node.from < lineStart || /Sequence|Document|Stream/.test(node.name)) break;
      end = Math.max(end, node.to);
    }
    return end;
  }

  function reveal(from: number): void {
    const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const block = view.lineBlockAt(from);
    const { scrollDOM } = view;
    const visible =
      block.top >= scrollDOM.scrollTop + 8 && block.bottom + 54 <= scrollDOM.scrollTop + scrollDOM.clientHeight;
    if (!visible)
      scrollDOM.scrollTo({ top: block.top - scrollDOM.clientHeight / 3, behavior: reduced ? 'auto' : 'smooth' });
  }

  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      silent = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      silent = false;
    },
    setDiagnostics(diagnostics) {
      const marks = diagnostics.flatMap((each) => markOf(view.state.doc, each) ?? []);
      view.dispatch(setDiagnostics(view.state, marks));
    },
    markStarted(text) {
      const { doc } = view.state;
      if (doc.toString() === text) {
        startText = doc;
        sinceStart = ChangeSet.empty(doc.length);
      } else {
        startText = null;
        sinceStart = null;
      }
    },
    setRule(place) {
      const from = place ? nowAt(place.line, place.column) : null;
      const range = from === null ? [] : [{ from, to: endOf(from) }];
      view.dispatch({ effects: setLines.of(range) });
      if (from !== null) reveal(from);
    },
    goTo(line, column, started) {
      const from = started ? nowAt(line, column) : offsetOf(view.state.doc, line, column);
      if (from === null) return;
      view.dispatch({ selection: { anchor: from } });
      reveal(from);
      view.focus();
    },
    focus() {
      view.focus();
    },
    destroy() {
      view.destroy();
      root.replaceChildren();
    },
  };
}

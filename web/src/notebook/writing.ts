// What helps while a cell of Go is written: completion, the signature of the call, problems. The kernel knows; nothing of
// it runs code.

import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  moveCompletionSelection,
  pickedCompletion,
  selectedCompletion,
  selectedCompletionIndex,
  startCompletion,
} from '@codemirror/autocomplete';
import { type Diagnostic, linter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, keymap, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { el } from '../dom';
import { codePoints, unitsOfCodePoints, unitsOfGoPosition } from '../model/positions';
import type { CompletionItem, Edit, Problem, Signature } from '../protocol/kernel';

/** What is asked of the kernel. Cursors count code points. */
export interface WritingHost {
  complete(code: string, cursor: number): Promise<{ start: number; end: number; items: CompletionItem[] }>;
  inspect(code: string, cursor: number, detail: 0 | 1): Promise<HTMLElement | null>;
  signature(code: string, cursor: number): Promise<Signature | null>;
}

// Our icon classes follow the kernel's words for what a name is.
const kinds: Record<string, string> = {
  function: 'function',
  method: 'method',
  variable: 'variable',
  constant: 'constant',
  type: 'type',
  field: 'property',
  key: 'text',
  package: 'namespace',
  module: 'namespace',
  keyword: 'keyword',
};

/** Where typing asks by itself: in a name, behind a dot, in the text of an import, of a map's key or of an argument. */
const asking =
  /(?:[\p{L}_][\p{L}\p{N}_]*|[\p{L}\p{N}_)\]}]\s*\.|^\s*(?:import\s+)?(?:[\w.]+\s+)?"[\w./-]*|[[(,]\s*"[^"\n\]]*|\[\d+)$/u;
const number = /(?:^|[^\p{L}\p{N}_)\][])\d[\p{N}_]*\.?$/u;

export function writing(host: WritingHost): Extension {
  return [
    signatureField, // before the list, which stands below it
    autocompletion({
      override: [(c) => complete(c, host)],
      activateOnTyping: true,
      activateOnTypingDelay: 0,
      defaultKeymap: false,
      icons: true,
      maxRenderedOptions: 100,
    }),
    Prec.highest(
      keymap.of([
        { key: 'ArrowDown', run: moveCompletionSelection(true) },
        { key: 'ArrowUp', run: moveCompletionSelection(false) },
        { key: 'PageDown', run: moveCompletionSelection(true, 'page') },
        { key: 'PageUp', run: moveCompletionSelection(false, 'page') },
        { key: 'Enter', run: enter },
        { key: 'Tab', run: (v) => completionStatus(v.state) === 'active' && acceptCompletion(v) },
        { key: 'Escape', run: closeCompletion },
        { key: 'Ctrl-Space', run: startCompletion },
      ]),
    ),
    keymap.of(lintKeymap),
    linter(null),
    signatureHelp(host),
  ];
}

/** A line ends with Enter where the chosen entry would change nothing, or is not what the word begins. */
function enter(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  const chosen = selectedCompletion(view.state);
  if (!chosen) return false;
  const { head } = view.state.selection.main;
  const word = /[\p{L}\p{N}_]*$/u.exec(view.state.sliceDoc(Math.max(0, head - 100), head))![0];
  const meant =
    selectedCompletionIndex(view.state) !== 0 ||
    !word ||
    chosen.label.toLowerCase().startsWith(word.toLowerCase()) ||
    /["/]/.test(chosen.label);
  if (!meant || chosen.label === word) {
    closeCompletion(view);
    return false;
  }
  return acceptCompletion(view);
}

async function complete(context: CompletionContext, host: WritingHost): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const line = context.state.doc.lineAt(context.pos);
  const before = text.slice(line.from, context.pos);
  if (!context.explicit && (!asking.test(before) || number.test(before))) return null;
  const found = await host.complete(text, codePoints(text, context.pos)).catch(() => null);
  // An answer that comes after the editor was left would open a list that nothing closes.
  if (!found?.items.length || context.aborted || context.view?.hasFocus === false) return null;
  const { items } = found;
  const from = unitsOfCodePoints(text, found.start),
    to = unitsOfCodePoints(text, found.end);
  const word = text.slice(from, context.pos);
  const options = items.map(
    (item): Completion => ({
      label: item.text,
      type: kinds[item.type ?? ''] ?? item.type,
      detail: item.signature || undefined,
      apply: (view, completion, f, t) => take(view, completion, item, text, f, t),
      info: () =>
        host
          .inspect(
            text.slice(0, from) + item.text + text.slice(to),
            found.start + codePoints(item.text, item.text.length),
            0,
          )
          .then((dom) => dom && el('div.inspection', {}, dom))
          .catch(() => null),
    }),
  );
  const starts = items.filter((i) => i.text.toLowerCase().startsWith(word.toLowerCase()));
  if (context.explicit && (items.length === 1 || (word && starts.length === 1 && items[0] === starts[0]))) {
    // Nothing to choose from: Tab completes at once.
    setTimeout(() => {
      if (context.view?.state.doc.toString() === text)
        take(context.view, options[0]!, starts[0] ?? items[0]!, text, from, to);
    });
    return null;
  }
  // The kernel is asked again at every letter: it knows the order.
  return { from, to, options, filter: false, getMatch: (option) => matched(option.label, word) };
}

/** The letters of a label that a word has, as ranges. */
function matched(label: string, word: string): number[] {
  const ranges: number[] = [];
  const at = label.toLowerCase().indexOf(word.toLowerCase());
  if (!word) return ranges;
  if (at >= 0) return [at, at + word.length];
  let i = 0;
  for (const letter of word.toLowerCase()) {
    i = label.toLowerCase().indexOf(letter, i);
    if (i < 0) break;
    ranges.push(i, ++i);
  }
  return ranges;
}

/** Puts a chosen entry in, and the import it needs. */
function take(
  view: EditorView,
  completion: Completion,
  item: CompletionItem,
  text: string,
  from: number,
  to: number,
): void {
  const insert = item.insert ?? item.text;
  const more = item.import ? edit(text, item.import) : null;
  view.dispatch({
    // A setting that awaits its value, as in "tcl.window=", leaves the cursor before the quote.
    changes: [...(more ? [more] : []), { from, to, insert }],
    selection: { anchor: from + insert.length + (more?.insert.length ?? 0) - (insert.endsWith('="') ? 1 : 0) },
    userEvent: 'input.complete',
    annotations: pickedCompletion.of(completion),
    scrollIntoView: true,
  });
}

const edit = (text: string, e: Edit) => ({ from: unitsOfCodePoints(text, e.at), insert: e.text });

// — the call being written —

const setSignature = StateEffect.define<Tooltip | null>();
const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, tr) {
    for (const e of tr.effects) if (e.is(setSignature)) return e.value;
    return value && tr.docChanged ? { ...value, pos: tr.changes.mapPos(value.pos) } : value;
  },
  provide: (field) => showTooltip.from(field),
});

const signatureHelp = (host: WritingHost) =>
  ViewPlugin.fromClass(
    class {
      private timer = 0;
      private asked = 0;
      private shown = '';

      constructor(private readonly view: EditorView) {}

      update(u: ViewUpdate): void {
        if (!u.docChanged && !u.selectionSet && !u.focusChanged) return;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.ask(u.docChanged), 30);
      }

      destroy(): void {
        clearTimeout(this.timer);
      }

      private async ask(typed: boolean): Promise<void> {
        const { state } = this.view;
        const { main } = state.selection;
        const asked = ++this.asked;
        const inCall =
          this.view.hasFocus && main.empty && openCall(state.sliceDoc(Math.max(0, main.head - 4000), main.head));
        // Moving through a call that stands there says nothing new; typing in it does.
        if (!inCall || (!typed && !this.shown)) return this.show(null);
        const text = state.doc.toString();
        const found = await host.signature(text, codePoints(text, main.head)).catch(() => null);
        if (asked === this.asked && this.view.state.doc.toString() === text) this.show(found);
      }

      private show(s: Signature | null): void {
        const key = s?.label ? JSON.stringify([s, this.view.state.selection.main.head]) : '';
        if (key === this.shown) return;
        this.shown = key;
        const dom = s?.label
          ? el('div.signature', { role: 'tooltip' }, ...labelled(s), s.doc ? el('p', {}, s.doc) : null)
          : null;
        const {
          doc,
          selection: {
            main: { head },
          },
        } = this.view.state;
        // Below the line where that covers nothing written, as at the end of a cell.
        const above = /[\p{L}\p{N}_]/u.test(doc.sliceString(doc.lineAt(head).to));
        this.view.dispatch({ effects: setSignature.of(dom && { pos: head, above, create: () => ({ dom }) }) });
      }
    },
  );

/** A signature with its current parameter marked. */
function labelled(s: Signature): Node[] {
  const at = s.parameters[s.active];
  if (!at) return [el('code', {}, s.label)];
  const [from, to] = at.map((n) => unitsOfCodePoints(s.label, n)) as [number, number];
  return [
    el(
      'code',
      {},
      s.label.slice(0, from),
      el('b', { 'aria-current': 'true' }, s.label.slice(from, to)),
      s.label.slice(to),
    ),
  ];
}

/** Whether text ends inside the parentheses of something called, as far as brackets tell. */
function openCall(text: string): boolean {
  let depth = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    const c = text[i]!;
    if (c === ')' || c === ']' || c === '}') depth++;
    else if (c === '(' || c === '[' || c === '{') {
      if (depth-- > 0) continue;
      if (c === '(' && /[\p{L}\p{N}_\])]\s*$/u.test(text.slice(0, i))) return true;
      depth = 0;
    }
  }
  return false;
}

// — problems —

/** Underlines problems in an editor. */
export function showProblems(view: EditorView, problems: readonly Problem[]): void {
  const text = view.state.doc.toString();
  view.dispatch(
    setDiagnostics(
      view.state,
      problems.map((p): Diagnostic => {
        const from = Math.min(unitsOfGoPosition(text, p.line, p.column), text.length);
        const word = /^(?:[\p{L}\p{N}_]+|"[^"\n]*"|[^\s])/u.exec(text.slice(from))?.[0].length ?? 0;
        const fix = p.import;
        return {
          from,
          to: from + word,
          severity: 'error',
          message: p.message,
          actions: fix && [
            { name: fix.text.trim().replace(/^"/, 'import "'), apply: (v) => v.dispatch({ changes: edit(text, fix) }) },
          ],
        };
      }),
    ),
  );
}

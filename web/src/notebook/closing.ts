// Closing brackets that the editor put in stay typed over when lines were begun between: `{`, Enter, a line, Enter, `}`. Within
// one line the editor's own extension does so.

import { matchBrackets } from '@codemirror/language';
import { type EditorState, type Extension, MapMode, StateField, type Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** A pair that came by typing its opening bracket. */
interface Pair {
  open: number;
  close: number;
}

const pairs = StateField.define<readonly Pair[]>({
  create: () => [],
  update(value, tr) {
    if (!tr.docChanged) return value;
    const kept = value.flatMap(({ open, close }) => {
      const o = tr.changes.mapPos(open, 1, MapMode.TrackAfter),
        c = tr.changes.mapPos(close, 1, MapMode.TrackAfter);
      return o === null || c === null ? [] : [{ open: o, close: c }];
    });
    const made = madePair(tr);
    return made ? [...kept, made] : kept;
  },
});

function madePair(tr: Transaction): Pair | null {
  const { head, empty } = tr.state.selection.main;
  if (!tr.isUserEvent('input.type') || !empty || !/^(\(\)|\[\]|\{\})$/.test(tr.state.sliceDoc(head - 1, head + 1)))
    return null;
  let whole = false;
  tr.changes.iterChanges((_a, _b, from, to) => {
    whole ||= from === head - 1 && to === head + 1;
  });
  return whole ? { open: head - 1, close: head } : null;
}

/** The change that types over the closing bracket behind nothing but space and line ends; null if there is none. */
function over(state: EditorState, text: string) {
  const { head, empty } = state.selection.main;
  if (!empty || state.selection.ranges.length > 1) return null;
  const space = /^[ \t]*\n\s*/.exec(state.sliceDoc(head, head + 1000))?.[0];
  const pair = space && state.field(pairs).find((p) => p.close === head + space.length);
  // An opening bracket between that nothing closes wants this one.
  if (
    !pair ||
    state.sliceDoc(pair.close, pair.close + 1) !== text ||
    matchBrackets(state, pair.close + 1, -1)?.end?.from !== pair.open
  )
    return null;
  // On a line of its own the bracket keeps its own indentation.
  const line = state.doc.lineAt(head);
  const from = line.text.trim() ? head : line.from,
    indent = line.text.trim() ? '' : /[ \t]*$/.exec(space)![0];
  const insert = indent + text;
  return state.update({
    changes: { from, to: pair.close + 1, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
    userEvent: 'input.type',
  });
}

/** Goes before the editor's own extension. */
export const typingOver: Extension = [
  pairs,
  EditorView.inputHandler.of((view, from, to, text) => {
    if (from !== to || !/^[)\]}]$/.test(text) || view.composing) return false;
    const change = over(view.state, text);
    if (change) view.dispatch(change);
    return change !== null;
  }),
];

// The text editor of a cell.

import {
  closeBrackets,
  closeBracketsKeymap,
  completionStatus,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  insertTab,
  toggleComment,
} from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import {
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type Range,
  StateEffect,
  StateField,
  Transaction,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  showTooltip,
  type Tooltip,
  tooltips,
} from '@codemirror/view';
import { codePoints, unitsOfCodePoints } from '../model/positions';
import { el, isMac } from '../dom';
import { language } from '../highlight';
import type { Edit, Problem } from '../protocol/kernel';
import { typingOver } from './closing';
import { showProblems, writing, type WritingHost } from './writing';

/** What an editor asks of the notebook around it. */
export interface EditorHost extends WritingHost {
  onText(text: string): void;
  onFocus(): void;
  /** The cursor wants to leave at the top (−1) or the bottom (1). */
  onLeave(direction: -1 | 1): boolean;
  onEscape(): void;
  /** The name at the cursor was pressed with Ctrl, or ⌘ on a Mac. */
  onDefine(): void;
  /** The last change is perhaps one of several cells, which is then taken back, or made again, in all. */
  onStep(way: 'undo' | 'redo'): boolean;
}

export type Marks = { from: number; to: number; current: boolean }[];

/** Where tooltips may be: not over the page's bar. */
const belowBar = () => ({
  top: document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0,
  left: 0,
  bottom: innerHeight,
  right: innerWidth,
});

const setTip = StateEffect.define<Tooltip | null>();
const tipField = StateField.define<Tooltip | null>({
  create: () => null,
  update(value, tr) {
    for (const e of tr.effects) if (e.is(setTip)) return e.value;
    return tr.docChanged || tr.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

const setMarks = StateEffect.define<Marks>();
const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, tr) {
    for (const e of tr.effects) {
      if (!e.is(setMarks)) continue;
      const ranges: Range<Decoration>[] = e.value
        .filter((m) => m.to <= tr.newDoc.length)
        .map((m) => Decoration.mark({ class: m.current ? 'match current' : 'match' }).range(m.from, m.to));
      return Decoration.set(ranges, true);
    }
    return value.map(tr.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class CellEditor {
  readonly view: EditorView;
  private readonly languageSlot = new Compartment();
  private readonly numbersSlot = new Compartment();
  private lastInspected = -1;
  private fromOutside = false;

  constructor(
    parent: HTMLElement,
    text: string,
    private type: 'code' | 'markdown' | 'raw',
    label: string,
    numbers: boolean,
    private readonly host: EditorHost,
  ) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          tipField,
          marksField,
          tooltips({ parent: document.body, position: 'fixed', tooltipSpace: belowBar }),
          Prec.highest(keymap.of(this.keys())),
          history(),
          drawSelection(),
          bracketMatching(),
          typingOver,
          closeBrackets(),
          indentOnInput(),
          indentUnit.of('\t'),
          EditorState.tabSize.of(4),
          this.languageSlot.of(this.languageFor(type)),
          this.numbersSlot.of(numbers ? lineNumbers() : []),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: type === 'markdown' ? 'true' : 'false' }),
          keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.domEventHandlers({
            mousedown: (e, v) => {
              const at = v.posAtCoords(e);
              if (e.button !== 0 || !(isMac ? e.metaKey : e.ctrlKey) || at === null || this.type !== 'code')
                return false;
              v.focus();
              this.goTo(at);
              this.host.onDefine();
              return true;
            },
          }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged && !this.fromOutside) host.onText(u.state.doc.toString());
            if (u.docChanged || u.selectionSet) this.lastInspected = -1;
            if (u.focusChanged && u.view.hasFocus) host.onFocus();
          }),
        ],
      }),
    });
  }

  setText(text: string): void {
    const { doc } = this.view.state;
    if (doc.toString() === text) return;
    this.fromOutside = true;
    this.view.dispatch({
      changes: { from: 0, to: doc.length, insert: text },
      annotations: Transaction.addToHistory.of(false),
    });
    this.fromOutside = false;
  }

  setType(type: 'code' | 'markdown' | 'raw'): void {
    if (type === this.type) return;
    this.type = type;
    this.view.dispatch({ effects: this.languageSlot.reconfigure(this.languageFor(type)) });
  }

  setNumbers(on: boolean): void {
    this.view.dispatch({ effects: this.numbersSlot.reconfigure(on ? lineNumbers() : []) });
  }
  setProblems(problems: readonly Problem[]): void {
    if (this.type === 'code') showProblems(this.view, problems);
  }
  /** Puts code with places to fill in at the cursor, or at the end if there is none yet, and an import that it needs. */
  insertSnippet(template: string, need: Edit | null): void {
    const {
      doc,
      selection: { main },
    } = this.view.state;
    const fresh = main.head === 0 && doc.length > 0;
    const changes = need ? [{ from: unitsOfCodePoints(doc.toString(), need.at), insert: need.text }] : [];
    const anchor = (fresh ? doc.length : main.head) + (need?.text.length ?? 0);
    this.view.dispatch({ changes, selection: { anchor } });
    snippet((fresh && doc.line(doc.lines).length ? '\n' : '') + template)(this.view, null, anchor, anchor);
  }

  setMarks(marks: Marks): void {
    this.view.dispatch({ effects: setMarks.of(marks) });
  }

  /** Puts the cursor somewhere and shows it. */
  goTo(offset: number, to = offset): void {
    const length = this.view.state.doc.length;
    this.view.dispatch({
      selection: { anchor: Math.min(offset, length), head: Math.min(to, length) },
      scrollIntoView: true,
    });
  }

  get cuts(): number[] {
    return this.view.state.selection.ranges.flatMap((r) => [r.from, r.to]);
  }

  private languageFor(type: 'code' | 'markdown' | 'raw'): Extension {
    return [language(type), type === 'code' ? writing(this.host) : []];
  }

  private keys() {
    const leave = (direction: -1 | 1) => (v: EditorView) => {
      const { main } = v.state.selection;
      const line = v.state.doc.lineAt(main.head);
      const edge = direction < 0 ? line.number === 1 : line.number === v.state.doc.lines;
      if (!main.empty || !edge || completionStatus(v.state)) return false;
      // On a wrapped line the arrow moves within the line first.
      const moved = v.moveVertically(main, direction > 0);
      if (
        moved.head !== main.head &&
        moved.head !== (direction < 0 ? 0 : v.state.doc.length) &&
        v.coordsAtPos(moved.head)?.top !== v.coordsAtPos(main.head)?.top
      )
        return false;
      return this.host.onLeave(direction);
    };
    return [
      {
        key: 'Escape',
        run: (v: EditorView) => {
          if (completionStatus(v.state)) return false;
          if (v.state.field(tipField)) {
            v.dispatch({ effects: setTip.of(null) });
            return true;
          }
          this.host.onEscape();
          return true;
        },
      },
      { key: 'Tab', run: (v: EditorView) => this.tab(v) },
      {
        key: 'Shift-Tab',
        run: (v: EditorView) => {
          if (this.type !== 'code') return indentLess(v);
          void this.showInspection();
          return true;
        },
      },
      { key: 'Mod-z', run: () => this.host.onStep('undo') },
      { key: 'Mod-y', mac: 'Mod-Shift-z', run: () => this.host.onStep('redo') },
      { key: 'Ctrl-Shift-z', run: () => this.host.onStep('redo') },
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
      { key: 'Mod-/', run: toggleComment },
      { key: 'ArrowUp', run: leave(-1) },
      { key: 'ArrowDown', run: leave(1) },
    ];
  }

  private tab(v: EditorView): boolean {
    const { main } = v.state.selection;
    if (!main.empty) return indentMore(v);
    const line = v.state.doc.lineAt(main.head);
    const before = v.state.sliceDoc(line.from, main.head);
    if (this.type !== 'code' || !/[\p{L}\p{N}_.]$/u.test(before)) return insertTab(v);
    return startCompletion(v);
  }

  /** Shows what is known of the name at the cursor; asked again at the same place, it shows more. */
  private async showInspection(): Promise<void> {
    const { state } = this.view;
    const at = state.selection.main.head;
    const text = state.doc.toString();
    const again = this.lastInspected === at;
    const shown = await this.host.inspect(text, codePoints(text, at), again ? 1 : 0).catch(() => null);
    if (this.view.state.selection.main.head !== at) return;
    const content = shown ?? el('p.note', {}, 'Nothing is known of this name.');
    const dom = el('div.inspection', { role: 'tooltip' }, content);
    this.view.dispatch({ effects: setTip.of({ pos: at, above: true, create: () => ({ dom }) }) });
    this.lastInspected = at;
  }
}

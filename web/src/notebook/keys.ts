// Key names, as written in the command table: "Shift-Enter", "D D", "Mod-S" (Ctrl, or ⌘ on a Mac).

import { isMac } from '../dom';

/** The name of a pressed key. */
export function keyName(e: KeyboardEvent): string {
  let key = e.key;
  // On a keyboard of another script the letters of the commands are where their keys are.
  if (key.length === 1 && key > '~' && /^Key[A-Z]$/.test(e.code)) key = e.code[3]!;
  if (key === ' ') key = 'Space';
  if (key.length === 1) key = key.toUpperCase();
  const mods = [
    (isMac ? e.metaKey : e.ctrlKey) && 'Mod',
    isMac && e.ctrlKey && 'Ctrl',
    e.altKey && 'Alt',
    e.shiftKey && 'Shift',
  ].filter(Boolean);
  return [...mods, key].join('-');
}

/** Whether a key belongs to an element that has the focus: all of them where text is entered, else those that work it. */
export function hasKey(target: HTMLElement, e: KeyboardEvent): boolean {
  const kind = target instanceof HTMLInputElement ? target.type : target.localName;
  if (/^(text|search|password|number|email|url|textarea)$/.test(kind) || target.isContentEditable) return true;
  if (kind === 'a' && e.key === 'Enter') return true;
  if (e.ctrlKey || e.metaKey || e.altKey) return false;
  if (kind === 'select') return e.key.length === 1 || !e.shiftKey; // its letters choose
  if (e.key === ' ' || (e.key === 'Enter' && !e.shiftKey))
    return target.closest('button, a, summary, input, .viewport') !== null;
  return (
    /^(Arrow|Page|Home$|End$)/.test(e.key) &&
    (kind === 'range' || kind === 'radio' || target.closest('.viewport') !== null)
  );
}

/** A binding as shown to users. */
export function keyLabel(binding: string): string {
  const words: Record<string, string> = isMac
    ? {
        Mod: '⌘',
        Ctrl: '⌃',
        Alt: '⌥',
        Shift: '⇧',
        Enter: '↩',
        ArrowUp: '↑',
        ArrowDown: '↓',
        ArrowLeft: '←',
        ArrowRight: '→',
      }
    : { Mod: 'Ctrl', ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' };
  return binding
    .split(' ')
    .map((stroke) =>
      stroke
        .split(/-(?=.)/)
        .map((part) => words[part] ?? part)
        .join(isMac ? '' : '+'),
    )
    .join(', ');
}

/** The keys of a command as shown to users: the first, and the second where both are short. */
export function keysOf(c: { keys?: string[]; both?: string[] }): string {
  const [first = '', second] = [...(c.keys ?? []), ...(c.both ?? [])].map(keyLabel);
  return second && first.length + second.length < 9 ? `${first} or ${second}` : first;
}

/** Follows strokes and finds bindings, also such of two strokes as "D D". */
export class KeySequence {
  private first = '';
  private at = 0;

  /** The name to look up now, the pair first; call with every stroke. */
  candidates(name: string, now = Date.now()): string[] {
    const pair = this.first && now - this.at < 900 ? [`${this.first} ${name}`] : [];
    this.first = name;
    this.at = now;
    return [...pair, name];
  }

  used(): void {
    this.first = '';
  }
}

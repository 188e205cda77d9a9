// Boundaries around what a notebook contains: what cannot be shown says so in its place, and the rest appears.

import { el } from '../dom';

/** The words of whatever was thrown. */
export const problemOf = (e: unknown): string => (e instanceof Error ? e.message : String(e));

/** The sentence in the place of what cannot be shown. */
export const problemNote = (what: string, e: unknown): string => `${what} cannot be shown: ${problemOf(e)}`;

/** What make returns, or in its place the sentence, with the bare text beneath it. */
export function bounded<T extends Node>(what: string, text: string, make: () => T): T | HTMLElement {
  try {
    return make();
  } catch (e) {
    return el(
      'div.unshown',
      {},
      el('p.note', { role: 'alert' }, problemNote(what, e)),
      text ? el('pre', {}, text) : null,
    );
  }
}

const rethrow = (e: unknown): never => {
  throw e;
};

/** f, for later: what it throws then goes to fail. */
export function guard(f: () => void, fail: (problem: unknown) => void = rethrow): () => void {
  return () => {
    try {
      f();
    } catch (e) {
      fail(e);
    }
  };
}

/** Whether f could be done. */
export function attempt(f: () => void): boolean {
  try {
    f();
    return true;
  } catch {
    return false;
  }
}

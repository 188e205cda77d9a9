// Numbers as a file spells them: JavaScript reads integers beyond 2⁵³ as the nearest it has, and 1.0 as 1.

import { fields } from './json';
import { newId } from './nbformat';

/**
 * The content, which was read from a file with such a text and edited since, as a file: a number that is as it was read
 * has the file's spelling.
 */
export function withNumbersOf(text: string, content: unknown): string {
  const mark = `number-${newId()}${newId()}-`;
  let old: unknown = null;
  try {
    old = JSON.parse(
      text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
        token[0] === '"' || String(Number(token)) === token ? token : `"${mark}${token}"`,
      ),
    );
  } catch {
    /* what was there was no JSON, and has no numbers */
  }
  const file = JSON.stringify(kept(content, old, mark), null, 1);
  return `${file.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')}\n`;
}

/** What became of old, where its numbers are marked texts. Cells are found by their ids. */
function kept(now: unknown, old: unknown, mark: string): unknown {
  if (typeof old === 'string' && old.startsWith(mark)) return now === Number(old.slice(mark.length)) ? old : now;
  if (typeof now !== 'object' || typeof old !== 'object' || !now || !old) return now;
  if (Array.isArray(now)) {
    const list = Array.isArray(old) ? old : [];
    const named = new Map(list.map((v) => [fields(v).id, v]));
    return now.map((v, i) => {
      const { id } = fields(v);
      return kept(v, typeof id === 'string' ? named.get(id) : list[i], mark);
    });
  }
  return Object.fromEntries(Object.entries(now).map(([key, v]) => [key, kept(v, fields(old)[key], mark)]));
}

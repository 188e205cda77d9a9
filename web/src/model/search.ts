// Search and replace over the sources of many cells.

export interface Query {
  text: string;
  caseSensitive: boolean;
  regexp: boolean;
  word: boolean;
}
export interface Match {
  cell: number;
  from: number;
  to: number;
}

/** The query as a regular expression, or the reason why it is none. */
export function compile(q: Query): RegExp | string {
  if (!q.text) return 'empty';
  let pattern = q.regexp ? q.text : q.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (q.word) pattern = `(?<![\\p{L}\\p{N}_])(?:${pattern})(?![\\p{L}\\p{N}_])`;
  try {
    return new RegExp(pattern, q.caseSensitive ? 'gmu' : 'gimu');
  } catch (e) {
    return (e as Error).message;
  }
}

/** Every match in the sources, in order. Empty matches are left out. */
export function findAll(sources: string[], q: Query): Match[] {
  const re = compile(q);
  if (typeof re === 'string') return [];
  const found: Match[] = [];
  sources.forEach((source, cell) => {
    for (const m of source.matchAll(re)) if (m[0]) found.push({ cell, from: m.index, to: m.index + m[0].length });
  });
  return found;
}

/** The text that replaces a match; in regular expressions $1 and $<name> stand for groups. */
export function replacement(source: string, m: Match, q: Query, by: string): string {
  if (!q.regexp) return by;
  const re = compile(q);
  if (typeof re === 'string') return by;
  // Matched where it stands: what surrounds it may be part of the pattern.
  for (const found of source.matchAll(re)) {
    if (found.index !== m.from) continue;
    return by.replace(/\$(?:\$|&|(\d{1,2})|<([^>]*)>)/g, (whole, n?: string, name?: string) => {
      if (whole === '$$') return '$';
      if (whole === '$&') return found[0];
      if (n !== undefined) return found[Number(n)] ?? '';
      return found.groups?.[name!] ?? '';
    });
  }
  return by;
}

/** A source with all its matches replaced. */
export function replaceAll(source: string, q: Query, by: string): string {
  const matches = findAll([source], q);
  let out = '';
  let at = 0;
  for (const m of matches) {
    out += source.slice(at, m.from) + replacement(source, m, q, by);
    at = m.to;
  }
  return out + source.slice(at);
}

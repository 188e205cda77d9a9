// Places in cells that an error's text names.

// "3:7", "cell:3:7", "cell [4]:3:7", "cell 4:3:7", "In[4]:3:7" at the start of a word; a path before the figures is another file's place.
const lineOnly = /\bline (\d{1,5})(?= of this cell)/g;
const place = /(?<![\w./:])(?:(?:(?:In|cell)?\s?\[(\d+)\]|cell(?:\s+|-)?([\w-]*?)):)?(\d{1,5}):(\d{1,4})(?!\w|:\d)/g;

export interface Place {
  from: number;
  to: number;
  count: string;
  line: number;
  column: number;
}

/** The places named in a text without colours. */
export function places(text: string): Place[] {
  const exact = [...text.matchAll(place)].map((m) => ({
    from: m.index,
    to: m.index + m[0].length,
    count: m[1] ?? m[2] ?? '',
    line: Number(m[3]),
    column: Number(m[4]),
  }));
  const lines = [...text.matchAll(lineOnly)].map((m) => ({
    from: m.index,
    to: m.index + m[0].length,
    count: '',
    line: Number(m[1]),
    column: 1,
  }));
  return [...exact, ...lines].sort((a, b) => a.from - b.from);
}

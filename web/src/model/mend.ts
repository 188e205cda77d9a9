// What can be made of a notebook's file that cannot be opened.

/** One way to mend a file: what is wrong, what a click does, and the file that it makes. */
export interface Mend {
  wrong: string;
  label: string;
  text: string;
}

/** The ways to mend the bytes of a file; none where nobody but its owner can know. */
export function mends(bytes: Uint8Array): Mend[] {
  const { text, wrong } = read(bytes);
  const whole = text.replace(/\0+$/, '');
  if (whole.length < text.length && isNotebook(whole))
    return [
      {
        wrong: `The file ends with ${text.length - whole.length} zero bytes, as after a crash of the machine.`,
        label: 'Save it without them',
        text: whole.replace(/\s*$/, '\n'),
      },
    ];
  if (wrong && isNotebook(text)) return [{ wrong, label: 'Save it as UTF-8', text }];
  const sides = conflictSides(whole);
  if (sides) return sides;
  return cutShort(whole);
}

/** The text of bytes in the encoding that they most likely have, and what is wrong if that is not UTF-8. */
function read(bytes: Uint8Array): { text: string; wrong: string } {
  for (const [mark, encoding] of [
    [[0xff, 0xfe], 'utf-16le'],
    [[0xfe, 0xff], 'utf-16be'],
  ] as const)
    if (mark.every((b, i) => bytes[i] === b))
      return { text: new TextDecoder(encoding).decode(bytes), wrong: 'The text is UTF-16, and notebooks are UTF-8.' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), wrong: '' };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    const words = text.match(/[\p{L}\p{N}]*[^\0-\x7f][\p{L}\p{N}]*/gu) ?? [];
    return {
      text,
      wrong:
        `The text is not UTF-8. As Latin-1 (Windows-1252) it has ` +
        `${[...new Set(words)]
          .slice(0, 6)
          .map((w) => `“${w}”`)
          .join(', ')}.`,
    };
  }
}

function isNotebook(text: string): boolean {
  try {
    const v = JSON.parse(text) as { nbformat?: unknown } | null;
    return typeof v?.nbformat === 'number';
  } catch {
    return false;
  }
}

/** The two sides of a merge that git could not finish; null without its marks. */
function conflictSides(text: string): Mend[] | null {
  const mine: string[] = [];
  const theirs: string[] = [];
  const names = ['', ''];
  let count = 0;
  let side: 'both' | 'mine' | 'base' | 'theirs' = 'both';
  for (const line of text.split('\n')) {
    const [mark = '', name = ''] = /^(<{7}|\|{7}|={7}|>{7})(?: (.*))?\r?$/.exec(line)?.slice(1) ?? [];
    if (mark[0] === '<' && side === 'both') {
      side = 'mine';
      names[0] ||= name;
      count++;
    } else if (mark[0] === '|' && side === 'mine') side = 'base';
    else if (mark[0] === '=' && (side === 'mine' || side === 'base')) side = 'theirs';
    else if (mark[0] === '>' && side === 'theirs') {
      side = 'both';
      names[1] ||= name;
    } else {
      if (side === 'both' || side === 'mine') mine.push(line);
      if (side === 'both' || side === 'theirs') theirs.push(line);
    }
  }
  if (!count || side !== 'both') return null;
  const places = count === 1 ? 'one place' : `${count} places`;
  const wrong = `The file has the marks of a merge that did not end, in ${places}.`;
  return [mine, theirs].flatMap((lines, i) => {
    const side = lines.join('\n');
    if (!isNotebook(side)) return [];
    return [{ wrong, label: `Take ${names[i] || (i ? 'theirs' : 'mine')} everywhere`, text: side }];
  });
}

/** The whole cells of a file that breaks off. */
function cutShort(text: string): Mend[] {
  const start = /^\s*\{\s*"cells"\s*:\s*\[/.exec(text)?.[0];
  if (!start) return [];
  // Where a cell ends: depth and strings are followed once over the text.
  let depth = 0;
  let inString = false;
  let end = 0;
  let cells = 0;
  for (let i = start.length; i < text.length; i++) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') {
      depth--;
      if (depth < 0) return []; // the list of cells is whole: something else is wrong
      if (depth === 0) {
        end = i + 1;
        cells++;
      }
    }
  }
  if (!cells) return [];
  const minor = /"id":/.test(text.slice(0, end)) ? 5 : 4;
  const made = `${text.slice(0, end)}\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": ${minor}\n}\n`;
  if (!isNotebook(made)) return [];
  const line = text.slice(0, end).split('\n').length;
  return [
    {
      wrong:
        `The file breaks off. Its first ${cells === 1 ? 'cell is' : `${cells} cells are`} whole, up to line ${line}; ` +
        `what follows, and the notebook's metadata, are not.`,
      label: `Save ${cells === 1 ? 'that cell' : `those ${cells} cells`}`,
      text: made,
    },
  ];
}

// What a terminal would show of a stream: \r goes back to the line's start, \b one character.

/**
 * Appends text to what a stream shows so far. Only the last line of shown can still change, so the cost does not grow
 * with what came before it.
 */
export function appendStream(shown: string, text: string): string {
  if (!/[\r\b]/.test(text) && !shown.endsWith('\r')) return shown + text;
  const start = shown.lastIndexOf('\n') + 1;
  return shown.slice(0, start) + overwrite(shown.slice(start) + text);
}

/** Applies \r and \b line by line. A \r at the very end is kept: what follows decides what it overwrites. */
function overwrite(text: string): string {
  return text
    .split('\n')
    .map((line, i, lines) => {
      let rest = line;
      let tail = '';
      if (rest.endsWith('\r')) {
        // "\r\n" is a plain line end; a last "\r" waits for more.
        rest = rest.slice(0, -1);
        if (i === lines.length - 1) tail = '\r';
      }
      return (/[\r\b]/.test(rest) ? overwriteLine(rest) : rest) + tail;
    })
    .join('\n');
}

interface Slot {
  style: string;
  char: string;
}

/** Every character keeps the colours it was written in, as on a terminal. */
function overwriteLine(line: string): string {
  const slots: Slot[] = [];
  let at = 0;
  let style = '';
  for (const [token] of line.matchAll(/\x1b\[[0-9;?]*[ -/]*[@-~]|[\s\S]/gu)) {
    if (token === '\r') at = 0;
    else if (token === '\b') at = Math.max(0, at - 1);
    else if (token.length > 2 && token.startsWith('\x1b')) {
      if (token.endsWith('K')) slots.length = Math.min(slots.length, at);
      else if (token.endsWith('m')) style = /^\x1b\[0?m$/.test(token) ? '' : style + token;
    } else slots[at++] = { style, char: token };
  }
  let out = '';
  let now = '';
  const wear = (next: string) => {
    if (next !== now) out += (now ? '\x1b[0m' : '') + next;
    now = next;
  };
  for (const slot of slots) {
    wear(slot.style);
    out += slot.char;
  }
  wear(style);
  return out;
}

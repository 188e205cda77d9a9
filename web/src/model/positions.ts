// Jupyter counts code points, JavaScript UTF-16 units, Go bytes.

/** The number of code points in the first units UTF-16 units of text. */
export function codePoints(text: string, units: number): number {
  let n = 0;
  for (let i = 0; i < units && i < text.length; n++) i += text.codePointAt(i)! > 0xffff ? 2 : 1;
  return n;
}

/** The UTF-16 offset of a code point. */
export function unitsOfCodePoints(text: string, points: number): number {
  let i = 0;
  for (let n = 0; n < points && i < text.length; n++) i += text.codePointAt(i)! > 0xffff ? 2 : 1;
  return i;
}

/** The UTF-16 offset of a place given as Go's compiler does: line and column from 1, the column in bytes of UTF-8. */
export function unitsOfGoPosition(text: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  let bytes = 1;
  let i = start;
  while (i < text.length && text[i] !== '\n' && bytes < column) {
    const point = text.codePointAt(i)!;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    i += point > 0xffff ? 2 : 1;
  }
  return i;
}

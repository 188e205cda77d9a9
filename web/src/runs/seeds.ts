/** Seeds as "3", "1-4" or "1, 5, 9"; null for a text that is none. */
export function seeds(text: string): number[] | null {
  if (!text.trim()) return [];
  const out: number[] = [];
  for (const part of text.split(',')) {
    const m = /^\s*(\d{1,15})\s*(?:-\s*(\d{1,15})\s*)?$/.exec(part);
    if (!m) return null;
    const [from, to] = [Number(m[1]), Number(m[2] ?? m[1])];
    if (to < from || to - from >= 100) return null;
    for (let s = from; s <= to; s++) out.push(s);
  }
  return out.length <= 100 ? [...new Set(out)] : null;
}

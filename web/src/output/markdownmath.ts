// Mathematics in text: which parts of Markdown and of LaTeX are formulas and references.

import type { MarkdownIt } from 'markdown-it';
import { el } from '../dom';
import { formulaView, referenceView } from './formulas';
import { displays } from './tex';

const environment = new RegExp(`\\\\begin\\{(${displays})\\}`, 'y');
const reference = /\\(eq)?ref\{([^{}\n]+)\}/y;

function at(re: RegExp, text: string, place: number): RegExpExecArray | null {
  re.lastIndex = place;
  return re.exec(text);
}

/** The formula that begins at a place of a text: its source, and where it ends; null where none begins. */
function formulaAt(src: string, start: number): { tex: string; display: boolean; end: number } | null {
  const env = at(environment, src, start);
  if (env) {
    const close = `\\end{${env[1]}}`;
    const end = src.indexOf(close, start) + close.length;
    return end < close.length ? null : { tex: src.slice(start, end), display: true, end };
  }
  const pairs: [string, string, boolean][] = [
    ['$$', '$$', true],
    ['$', '$', false],
    ['\\(', '\\)', false],
    ['\\[', '\\]', true],
  ];
  const pair = pairs.find(([open]) => src.startsWith(open, start));
  if (!pair) return null;
  const [open, close, display] = pair;
  const from = start + open.length;
  let end = src.indexOf(close, from);
  while (end > 0 && src[end - 1] === '\\' && close[0] === '$') end = src.indexOf(close, end + 1);
  return end <= from ? null : { tex: src.slice(from, end), display, end: end + close.length };
}

/** text/latex: mathematics with or without its delimiters, also mixed with text. */
export function latexView(source: string): HTMLElement {
  const host = el('div.latex');
  let text = 0;
  const flush = (to: number) => {
    if (source.slice(text, to).trim()) host.append(source.slice(text, to));
  };
  for (let i = 0; i < source.length; ) {
    const formula = formulaAt(source, i);
    const ref = formula ? null : at(reference, source, i);
    if (!formula && !ref) {
      i += source[i] === '\\' ? 2 : 1;
      continue;
    }
    flush(i);
    host.append(formula ? formulaView(formula) : referenceView(ref![2]!, ref![1] !== undefined));
    text = i = formula ? formula.end : i + ref![0].length;
  }
  if (!host.firstElementChild) host.append(formulaView({ tex: source, display: true }));
  else flush(source.length);
  return host;
}

/** Teaches markdown-it $inline$, $$display$$, \begin{align} … \end{align}, \ref and \eqref. put keeps an element's place. */
export function math(md: MarkdownIt, put: (env: unknown, view: HTMLElement) => string): void {
  md.inline.ruler.before('escape', 'math', (state, silent) => {
    const { src, pos } = state;
    const formula = formulaAt(src, pos);
    if (!formula || formula.end > state.posMax) return false;
    if (src[pos] === '$' && !formula.display) {
      // "$5 and $6" is money: no space inside the dollars, no digit after them.
      const { tex, end } = formula;
      if (/^\s|\s$/.test(tex) || /\d/.test(src[end] ?? '')) return false;
    }
    if (!silent) {
      const token = state.push('math', 'math', 0);
      token.content = formula.tex;
      token.meta = { display: formula.display };
    }
    state.pos = formula.end;
    return true;
  });
  md.inline.ruler.before('escape', 'reference', (state, silent) => {
    const found = at(reference, state.src, state.pos);
    if (!found) return false;
    if (!silent) {
      const token = state.push('reference', 'a', 0);
      token.content = found[2]!;
      token.meta = { eq: found[1] !== undefined };
    }
    state.pos += found[0].length;
    return true;
  });
  md.block.ruler.before(
    'fence',
    'math_block',
    (state, line, endLine, silent) => {
      const textOf = (n: number) => state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]!);
      const first = textOf(line);
      const env = at(environment, first, 0);
      if (!first.startsWith('$$') && !env) return false;
      const close = env ? `\\end{${env[1]}}` : '$$';
      let next = line;
      let found = first.indexOf(close, env ? env[0].length : 2) >= 0;
      while (!found && ++next < endLine) found = textOf(next).includes(close);
      if (!found) return false;
      const text = Array.from({ length: next - line + 1 }, (_, i) => textOf(line + i)).join('\n');
      const stop = text.indexOf(close, env ? env[0].length : 2);
      if (text.slice(stop + close.length).trim()) return false;
      if (silent) return true;
      const token = state.push('math', 'math', 0);
      token.block = true;
      token.content = env ? text.slice(0, stop + close.length) : text.slice(2, stop);
      token.meta = { display: true };
      state.line = next + 1;
      return true;
    },
    { alt: ['paragraph', 'blockquote', 'list'] },
  );
  md.renderer.rules.math = (tokens, i, _options, env) =>
    put(env, formulaView({ tex: tokens[i]!.content, display: tokens[i]!.meta!.display as boolean }));
  md.renderer.rules.reference = (tokens, i, _options, env) =>
    put(env, referenceView(tokens[i]!.content, tokens[i]!.meta!.eq as boolean));
}

// LaTeX as papers write it, for KaTeX, which sees one formula at a time: definitions hold for the formulas that follow,
// equations have numbers that go on, and labels are found wherever they stand.

/** A name or a group {…} at a place, without its braces; null where neither is. */
function argument(tex: string, at: number, open = '{', close = '}'): { text: string; end: number } | null {
  while (/\s/.test(tex[at] ?? '')) at++;
  if (tex[at] !== open) {
    const name = open === '{' ? /\\(?:[A-Za-z@]+|[^A-Za-z\s])/y : null;
    if (name) name.lastIndex = at;
    const found = name?.exec(tex);
    return found ? { text: found[0], end: at + found[0].length } : null;
  }
  let depth = 0;
  for (let i = at; i < tex.length; i++) {
    if (tex[i] === '\\') i++;
    else if (tex[i] === '{' && open !== '{') depth++;
    else if (tex[i] === '}' && open !== '{') depth--;
    else if (tex[i] === open) depth++;
    else if (tex[i] === close && --depth === 0) return { text: tex.slice(at + 1, i), end: i + 1 };
  }
  return null;
}

type Made = { text: string; end: number } | null;

/** \newcommand{\name}[count][first argument, where none is given]{body} from behind its first word. */
function command(tex: string, at: number): Made {
  const name = argument(tex, at);
  if (!name || !/^\\(?:[A-Za-z@]+|[^A-Za-z\s])$/.test(name.text.trim())) return null;
  const called = name.text.trim();
  const count = argument(tex, name.end, '[', ']');
  const first = count && argument(tex, count.end, '[', ']');
  const body = argument(tex, (first ?? count ?? name).end);
  if (!body || (first && !/^\\[A-Za-z@]+$/.test(called))) return null;
  const parameters = Array.from({ length: Number(count?.text ?? 0) || 0 }, (_, i) => `#${i + 1}`);
  const text = first
    ? `\\gdef${called}{\\@ifnextchar[{${called}@given}{${called}@given[${first.text}]}}` +
      `\\gdef${called}@given[#1]${parameters.slice(1).join('')}{${body.text}}`
    : `\\gdef${called}${parameters.join('')}{${body.text}}`;
  return { text, end: body.end };
}

function operator(tex: string, at: number, star: string): Made {
  const name = argument(tex, at);
  const body = name && argument(tex, name.end);
  return body && { text: `\\gdef${name!.text.trim()}{\\operatorname${star}{${body.text}}}`, end: body.end };
}

/** mathtools' \DeclarePairedDelimiter{\name}{left}{right}: \name*{x} grows with x, \name[\big]{x} is as large as said. */
function delimiter(tex: string, at: number): Made {
  const name = argument(tex, at);
  const left = name && argument(tex, name.end);
  const right = left && argument(tex, left.end);
  const called = name?.text.trim() ?? '';
  if (!left || !right || !/^\\[A-Za-z@]+$/.test(called)) return null;
  const text =
    `\\gdef${called}{\\@ifstar{${called}@grown}{\\@ifnextchar[{${called}@sized}{${called}@sized[]}}}` +
    `\\gdef${called}@grown#1{\\left${left.text}#1\\right${right.text}}` +
    `\\gdef${called}@sized[#1]#2{\\mathopen{#1${left.text}}#2\\mathclose{#1${right.text}}}`;
  return { text, end: right.end };
}

/** \def\name#1{body} or \let\name=\other, the whole of it. */
function primitive(tex: string, at: number, word: string): Made {
  const name = argument(tex, at);
  if (!name) return null;
  if (word === 'let') {
    const to = /\s*=?\s*(?:\\(?:[A-Za-z@]+|[\s\S])|\S)/y;
    to.lastIndex = name.end;
    const [other] = to.exec(tex) ?? [];
    return other === undefined ? null : { text: `\\global\\let${tex.slice(at, to.lastIndex)}`, end: to.lastIndex };
  }
  const open = tex.indexOf('{', name.end);
  const body = open < 0 ? null : argument(tex, open);
  return body && { text: `\\gdef${tex.slice(at, body.end)}`, end: body.end };
}

/**
 * The formula with its definitions in KaTeX's words, so that they hold for the formulas after it, and the rest of it. A
 * name that is defined again gets its new meaning, as a cell may be shown again.
 */
export function definitions(tex: string): { tex: string; rest: string } {
  let [out, rest] = ['', ''];
  let at = 0;
  for (const m of tex.matchAll(
    /\\\\|\\((?:re)?newcommand|providecommand|DeclareMathOperator|DeclarePairedDelimiter|def|let)(?![A-Za-z@])(\*?)/g,
  )) {
    const [all, word, star = ''] = m;
    if (!word || m.index < at) continue;
    const end = m.index + all.length;
    let made: Made;
    if (word === 'def' || word === 'let') made = primitive(tex, end, word);
    else if (word === 'DeclareMathOperator') made = operator(tex, end, star);
    else if (word === 'DeclarePairedDelimiter') made = delimiter(tex, end);
    else made = command(tex, end);
    if (!made) continue;
    out += tex.slice(at, m.index) + made.text;
    rest += tex.slice(at, m.index);
    at = made.end;
  }
  return { tex: out + tex.slice(at), rest: rest + tex.slice(at) };
}

/** The environments of a display; MathJax takes them as formulas also where no $ stands around them. */
export const displays =
  '(?:equation|align|gather|multline|alignat|flalign|eqnarray|split|aligned|gathered|alignedat|cases|array|[pbBvV]?matrix|CD)\\*?';

interface Environment {
  name: string;
  star: boolean;
  from: number;
  to: number;
  body: string;
}

/** The environments of a formula that are in no other. */
function environments(tex: string): Environment[] {
  const found: Environment[] = [];
  let depth = 0;
  let open: { name: string; from: number; body: number } | null = null;
  for (const m of tex.matchAll(/\\\\|\\(begin|end)\s*\{([A-Za-z]+\*?)\}/g)) {
    if (!m[1]) continue;
    const end = m.index + m[0].length;
    if (m[1] === 'begin' && depth++ === 0) open = { name: m[2]!, from: m.index, body: end };
    if (m[1] === 'end' && --depth === 0 && open)
      found.push({
        name: open.name.replace('*', ''),
        star: open.name.endsWith('*'),
        from: open.from,
        to: end,
        body: tex.slice(open.body, m.index),
      });
  }
  return found;
}

/** The places of marks in a text that are in no group and no environment of it. */
function outside(tex: string, mark: string): number[] {
  const found: number[] = [];
  let depth = 0;
  for (const m of tex.matchAll(/\\begin(?=\s*\{)|\\end(?=\s*\{)|\\\\|\\.|%.*$|[{}&]/gm)) {
    if (m[0] === '{' || m[0] === '\\begin') depth++;
    else if (m[0] === '}' || m[0] === '\\end') depth--;
    else if (m[0] === mark && depth === 0) found.push(m.index);
  }
  return found;
}

/** The text between marks at places. */
function cut(tex: string, places: number[], length: number): string[] {
  return [...places, tex.length].map((to, i) => tex.slice(i ? places[i - 1]! + length : 0, to));
}

export interface Numbered {
  tex: string;
  /** What \ref says of each label; '' of an equation without a number. */
  labels: [name: string, number: string][];
  /** The number of the last equation that has one. */
  last: number;
}

const single = /^(?:equation|multline)$/;
const many = /^(?:align|gather|alignat|flalign|eqnarray)$/;

/**
 * A formula with the numbers of its equations as tags. last is the number of the equation before it. As amsmath does,
 * the environments without a star number their equations, each line or all together; a formula between $$ has a number
 * if it has a label. KaTeX draws no tags of lines in MathML: there they follow the line.
 */
export function numbered(tex: string, display: boolean, last: number, mathml = false): Numbered {
  const labels: Numbered['labels'] = [];
  const numberOf = (text: string, always: boolean, line: boolean): string => {
    const names: string[] = [];
    let row = text.replace(/\\label\s*\{([^{}]*)\}/g, (_, name: string) => {
      names.push(name);
      return '';
    });
    const tag = /\\tag(?![A-Za-z])(\*?)/.exec(row);
    const own = tag && argument(row, tag.index + tag[0].length);
    let number = own ? own.text : '';
    if (!own && (always || names.length) && !/\\(?:notag|nonumber)(?![A-Za-z])/.test(row)) number = String(++last);
    if (own && line && mathml)
      row = row.slice(0, tag.index) + row.slice(own.end) + `\\qquad\\text{${tag[1] ? number : `(${number})`}}`;
    else if (!own && number) row += line && mathml ? `\\qquad\\text{(${number})}` : `\\tag{${number}}`;
    labels.push(...names.map((name): [string, string] => [name, number]));
    return row;
  };
  if (!display) return { tex: tex.replace(/\\label\s*\{[^{}]*\}/g, ''), labels, last };
  let out = '';
  let at = 0;
  let lines = false;
  for (const e of environments(tex)) {
    if (!single.test(e.name) && !many.test(e.name)) continue;
    lines = true;
    let rows = single.test(e.name) ? [e.body] : cut(e.body, outside(e.body, '\\\\'), 2);
    if (e.name === 'eqnarray') rows = rows.map(withoutThird);
    // Behind the last \\ there is no line.
    rows = rows.map((row, i) => (i && i === rows.length - 1 && !row.trim() ? row : numberOf(row, !e.star, true)));
    const name = { multline: 'gather*', flalign: 'align*', eqnarray: 'align*' }[e.name] ?? `${e.name}*`;
    out += `${tex.slice(at, e.from)}\\begin{${name}}${rows.join('\\\\')}\\end{${name}}`;
    at = e.to;
  }
  out += tex.slice(at);
  return { tex: lines ? out : numberOf(out, false, false), labels, last };
}

/** A line of eqnarray, a &=& b, as one of align, a &= b. */
function withoutThird(row: string): string {
  const [, second] = outside(row, '&');
  return second === undefined ? row : row.slice(0, second) + row.slice(second + 1);
}

/** What \ref, or \eqref, says of a label. */
export const referred = (labels: Map<string, string>, name: string, eq: boolean): string =>
  eq ? `(${labels.get(name) || '???'})` : labels.get(name) || '???';

/** The formula with its references as links to what they name. */
export function references(tex: string, labels: Map<string, string>): string {
  return tex.replace(/\\(eq)?ref\s*\{([^{}]*)\}/g, (_, eq: string | undefined, name: string) => {
    const text = `\\text{${referred(labels, name, eq !== undefined)}}`;
    // A bare % would begin a comment.
    return labels.has(name) ? `\\href{#${encodeURIComponent(name).replaceAll('%', '\\%')}}{${text}}` : text;
  });
}

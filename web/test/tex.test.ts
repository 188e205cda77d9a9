import assert from 'node:assert/strict';
import { test } from 'node:test';
import katex from 'katex';
import { definitions, numbered, referred, references } from '../src/output/tex';

/** Formulas one after the other, as a page shows them; it fails if one would be red. */
function shown(...formulas: string[]): string[] {
  const macros = {};
  return formulas.map((f) =>
    katex.renderToString(definitions(f).tex, {
      macros,
      globalGroup: true,
      throwOnError: true,
      output: 'mathml',
      strict: false,
    }),
  );
}

for (const [what, define, use, means] of [
  ['newcommand', '\\newcommand{\\EE}{\\mathbb{E}}', '\\EE[x]', '\\mathbb{E}[x]'],
  ['an argument', '\\newcommand{\\norm}[1]{\\lVert #1 \\rVert}', '\\norm{x}', '\\lVert x \\rVert'],
  ['two arguments, starred', '\\newcommand*{\\pair}[2]{(#1, #2)}', '\\pair{a}{b}', '(a, b)'],
  ['an argument that may be left out', '\\newcommand{\\p}[2][2]{\\|#2\\|_{#1}}', '\\p{x}', '\\|x\\|_{2}'],
  ['the same, given', '\\newcommand{\\p}[2][2]{\\|#2\\|_{#1}}', '\\p[1]{x}', '\\|x\\|_{1}'],
  ['no braces', '\\newcommand\\half{\\tfrac12}', '\\half x', '\\tfrac12 x'],
  ['a name that KaTeX has', '\\newcommand{\\R}{\\mathcal{R}}', '\\R', '\\mathcal{R}'],
  ['renewcommand', '\\renewcommand{\\vec}[1]{\\mathbf{#1}}', '\\vec{x}', '\\mathbf{x}'],
  ['providecommand', '\\providecommand{\\KL}{\\mathrm{KL}}', '\\KL', '\\mathrm{KL}'],
  ['def', '\\def\\x#1{y_{#1}}', '\\x2', 'y_{2}'],
  ['let', '\\let\\eps=\\varepsilon', '\\eps', '\\varepsilon'],
  ['an operator', '\\DeclareMathOperator{\\Var}{Var}', '\\Var(X)', '\\operatorname{Var}(X)'],
  ['an operator of braces', '\\DeclareMathOperator{\\tr}{\\mathbf{tr}}', '\\tr A', '\\operatorname{\\mathbf{tr}} A'],
  [
    'an operator with limits',
    '\\DeclareMathOperator*{\\argmax}{arg\\,max}',
    '\\argmax_x f(x)',
    '\\operatorname*{arg\\,max}_x f(x)',
  ],
  [
    'paired delimiters',
    '\\DeclarePairedDelimiter{\\abs}{\\lvert}{\\rvert}',
    '\\abs*{x}',
    '\\left\\lvert x\\right\\rvert',
  ],
  [
    'paired delimiters of a size',
    '\\DeclarePairedDelimiter\\abs\\lvert\\rvert',
    '\\abs[\\big]{x}',
    '\\mathopen{\\big\\lvert}x\\mathclose{\\big\\rvert}',
  ],
] as const)
  test(`a formula may use what one before has defined: ${what}`, () => {
    const drawn = (html: string) => html.replace(/<annotation.*<\/annotation>/s, '');
    const [, first] = shown(define, use);
    const again = shown(define, define, use); // the cell is shown twice
    assert.equal(drawn(again[2]!), drawn(first!));
    assert.equal(drawn(first!), drawn(shown(means)[0]!));
  });

test('what is left of a formula without its definitions', () => {
  assert.equal(definitions('\\newcommand{\\a}{b} \\def\\c{d}\\let\\e\\f').rest.trim(), '');
  assert.equal(definitions('\\newcommand{\\a}{b}\\a').rest, '\\a');
  assert.equal(definitions('x \\\\def').rest, 'x \\\\def');
  assert.equal(definitions('\\newcommand{\\a').tex, '\\newcommand{\\a'); // not finished: KaTeX says so
});

// The numbers are those that LaTeX gives, with amsmath.
for (const [source, names, tags] of [
  ['\\begin{equation}a=b\\label{a}\\end{equation}', ['a 5'], ['5']],
  ['\\begin{equation*}a=b\\end{equation*}', [], []],
  ['\\begin{align}a&=b\\label{a}\\\\c&=d\\notag\\\\e&=f\\label{e}\\\\\\end{align}', ['a 5', 'e 6'], ['5', '6']],
  ['\\begin{align*}a&=b\\\\c&=d\\tag{x}\\label{c}\\end{align*}', ['c x'], ['x']],
  ['\\begin{gather}a\\\\\\begin{cases}1&2\\\\3&4\\end{cases}\\label{c}\\end{gather}', ['c 6'], ['5', '6']],
  ['\\begin{multline}a\\\\+b\\label{m}\\end{multline}', ['m 5'], ['5']],
  ['\\begin{alignat}{2}a&=b&c&=d\\\\e&=f&g&=h\\label{g}\\end{alignat}', ['g 6'], ['5', '6']],
  ['\\begin{flalign}a&=b\\label{a}\\end{flalign}', ['a 5'], ['5']],
  ['\\begin{eqnarray}a&=&b\\\\c&=&{d&}\\nonumber\\end{eqnarray}', [], ['5']],
  ['\\begin{equation}\\begin{split}a&=b\\\\&=c\\end{split}\\label{s}\\end{equation}', ['s 5'], ['5']],
  ['a=b\\label{a}', ['a 5'], ['5']],
  ['a=b', [], []],
  ['a=b\\tag{*}\\label{star}', ['star *'], ['*']],
  ['\\begin{aligned}a&=b\\label{a}\\\\c&=d\\end{aligned}', ['a 5'], ['5']],
] as const)
  test(`numbers of ${source}`, () => {
    const made = numbered(source, true, 4);
    assert.deepEqual(
      made.labels.map((l) => l.join(' ')),
      names,
    );
    assert.equal(made.last, 4 + tags.filter((t) => /\d/.test(t)).length);
    assert.deepEqual(
      [...made.tex.matchAll(/\\tag\{(.*?)\}/g)].map((m) => m[1]),
      tags,
    );
    if (source.includes('{d&}')) return; // no formula, but & in a group is no column
    const html = katex.renderToString(made.tex, { displayMode: true, throwOnError: true, output: 'html' });
    assert.deepEqual(
      [...html.matchAll(/<span class="mord">\(<\/span>(.*?)<span class="mord">\)/g)].length,
      tags.length,
      html,
    );
    assert.doesNotMatch(html, /eqn-num/); // KaTeX itself counts nothing
    const mathml = katex.renderToString(numbered(source, true, 4, true).tex, {
      displayMode: true,
      throwOnError: true,
      output: 'mathml',
    });
    for (const t of tags)
      assert.match(
        mathml.replace(/<annotation.*/s, '').replace(/<[^>]*>/g, ''),
        new RegExp(`\\(${t.replace('*', '\\*')}\\)`),
      );
  });

test('references', () => {
  const labels = new Map([
    ['eq:loss', '3'],
    ['none', ''],
  ]);
  assert.equal(referred(labels, 'eq:loss', false), '3');
  assert.equal(referred(labels, 'eq:loss', true), '(3)');
  assert.equal(referred(labels, 'gone', true), '(???)');
  assert.equal(referred(labels, 'none', false), '???');
  assert.equal(references('by \\eqref{eq:loss}', labels), 'by \\href{#eq\\%3Aloss}{\\text{(3)}}');
  assert.equal(references('\\ref{gone}', labels), '\\text{???}');
  const html = katex.renderToString(references('\\overset{\\eqref{eq:loss}}{=}', labels), {
    throwOnError: true,
    trust: true,
  });
  assert.match(html, /href="#eq%3Aloss"/);
});

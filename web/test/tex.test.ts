import assert from 'node:assert/strict';
import { test } from 'node:test';
import katex from 'katex';
import { definitions } from '../src/output/tex';

/** Formulas one after the other, as a page shows them; whether one is red. */
function shown(...formulas: string[]): string[] {
  const macros = {};
  return formulas.map((f) =>
    katex.renderToString(definitions(f), { macros, throwOnError: true, output: 'mathml', strict: false }),
  );
}

for (const [what, define, use] of [
  ['newcommand', '\\newcommand{\\EE}{\\mathbb{E}}', '\\EE[x]'],
  ['an argument', '\\newcommand{\\norm}[1]{\\lVert #1 \\rVert}', '\\norm{x} + \\norm{y}'],
  ['two arguments, starred', '\\newcommand*{\\pair}[2]{(#1, #2)}', '\\pair{a}{b}'],
  ['no braces', '\\newcommand\\half{\\tfrac12}', '\\half x'],
  ['a name that KaTeX has', '\\newcommand{\\R}{\\mathcal{R}}', '\\R'],
  ['renewcommand', '\\renewcommand{\\vec}[1]{\\mathbf{#1}}', '\\vec{x}'],
  ['providecommand', '\\providecommand{\\KL}{\\mathrm{KL}}', '\\KL'],
  ['def', '\\def\\x{y}', '\\x'],
  ['an operator', '\\DeclareMathOperator{\\Var}{Var}', '\\Var(X)'],
  ['an operator with limits', '\\DeclareMathOperator*{\\argmax}{arg\\,max}', '\\argmax_x f(x)'],
] as const)
  test(`a formula may use what one before has defined: ${what}`, () => {
    assert.throws(() => katex.renderToString(`${use}\\undefinedname`, { throwOnError: true }));
    const [, first] = shown(define, use);
    const again = shown(define, define, use); // the cell is shown twice
    assert.equal(again[2], first);
  });

test('labels are not shown', () => {
  assert.equal(definitions('a = b \\label{eq:one}'), 'a = b ');
});

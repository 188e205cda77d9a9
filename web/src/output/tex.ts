// LaTeX as papers write it, for KaTeX: it knows neither \DeclareMathOperator nor a \newcommand of a name it has itself.

/** The formula with its definitions as \gdef, which holds for the formulas after it and may come again. */
export function definitions(tex: string): string {
  return tex
    .replace(
      /\\(?:(?:re)?newcommand|providecommand)\*?\s*\{?\s*(\\(?:[A-Za-z]+|[^A-Za-z\s]))\s*\}?\s*(?:\[(\d)\])?\s*(?=\{)/g,
      (_, name: string, count = '0') =>
        `\\gdef${name}${Array.from({ length: Number(count) }, (_, i) => `#${i + 1}`).join('')}`,
    )
    .replace(
      /\\DeclareMathOperator(\*?)\s*\{?\s*(\\[A-Za-z]+)\s*\}?\s*\{([^{}]*)\}/g,
      (_, star: string, name: string, text: string) => `\\gdef${name}{\\operatorname${star}{${text}}}`,
    )
    .replace(/\\def(?=\s*\\[A-Za-z])/g, '\\gdef')
    .replace(/\\label\s*\{[^{}]*\}/g, '');
}

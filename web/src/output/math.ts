// KaTeX, loaded when the first formula comes.

import katex from 'katex';

export default katex;

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendStream } from '../src/model/stream';

// Expected values are what a terminal (xterm) leaves on its lines.
const cases: [string, string[], string][] = [
  ['plain text is appended', ['a\n', 'b'], 'a\nb'],
  ['a carriage return overwrites', ['10%', '\r20%'], '20%'],
  ['what is not overwritten stays', ['hello', '\rJ'], 'Jello'],
  ['a carriage return at the end waits', ['hello\r', 'J'], 'Jello'],
  ['CRLF is a line end', ['a\r\nb'], 'a\nb'],
  ['CRLF in two parts', ['a\r', '\nb'], 'a\nb'],
  ['earlier lines are safe', ['one\ntwo', '\rTWO'], 'one\nTWO'],
  ['backspace', ['abc\b\bX'], 'aXc'],
  ['backspace at the start of a line', ['\bx'], 'x'],
  ['a reset before the return ends the colour', ['\x1b[31mred\x1b[0m', '\rblu'], 'blu'],
  ['a colour goes on over a return', ['\x1b[31mred', '\rblu'], '\x1b[31mblu'],
  ['what stays keeps its colour', ['\x1b[31mred\x1b[0m!', '\rb'], 'b\x1b[31med\x1b[0m!'],
  ['erase to the end of the line', ['loading...', '\r\x1b[Kdone'], 'done'],
  ['a progress bar', ['[=  ]', '\r[== ]', '\r[===]\n', 'done\n'], '[===]\ndone\n'],
  ['astral characters are one place', ['🙂🙂', '\ra'], 'a🙂'],
];
for (const [name, parts, want] of cases) {
  test(name, () => assert.equal(parts.reduce(appendStream, ''), want));
}

test('ten thousand parts', () => {
  let shown = '';
  for (let i = 0; i < 10_000; i++) shown = appendStream(shown, `line ${i}\n`);
  assert.equal(
    shown.length,
    Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`.length).reduce((a, b) => a + b),
  );
});

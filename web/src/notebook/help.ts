// Every command with its keys, as the help shows them.

import { el } from '../dom';
import { command, commands } from './commands';
import { keyLabel, keysOf } from './keys';

export function helpTable(): HTMLElement {
  const groups = [...new Set(commands.map((c) => c.group))];
  return el(
    'div.help',
    {},
    ...groups.map((g) =>
      el(
        'section',
        {},
        el('h3', {}, g),
        el(
          'dl',
          {},
          ...commands
            .filter((c) => c.group === g && (c.keys || c.both))
            .flatMap((c) => [el('dt', {}, el('kbd', {}, keysOf(c))), el('dd', {}, c.label)]),
        ),
      ),
    ),
    el(
      'section',
      {},
      el('h3', {}, 'While editing'),
      el(
        'dl',
        {},
        ...[
          ['Escape', 'Leave the editor'],
          ['Tab', 'Complete, or indent'],
          ['Mod-Space', 'Complete'],
          ['Shift-Tab', 'What is known of the name; again for more'],
          ['F8', 'Go to the next problem'],
          ['Mod-Shift-M', 'List the problems'],
          ['Mod-/', 'Comment'],
          ['Mod-Z', 'Undo in this cell'],
        ].flatMap(([k, text]) => [el('dt', {}, el('kbd', {}, keyLabel(k!))), el('dd', {}, text!)]),
      ),
    ),
  );
}

/** What one needs to begin, for an empty notebook. */
export function firstKeys(): HTMLElement {
  const key = (binding: string) => el('kbd', {}, keyLabel(binding));
  const line = (...parts: (Node | string)[]) => el('p', {}, ...parts);
  return el(
    'div.first-keys',
    { role: 'note', 'aria-label': 'First keys' },
    line(
      key(command('run.next').both![0]!),
      ' runs a cell, ',
      key('Enter'),
      ' writes in it. Names complete while you type; ',
      key('Shift-Tab'),
      ' says what one is.',
    ),
    line(
      key('Escape'),
      ', then ',
      key('H'),
      ': all keys, ',
      key(command('view.library').keys![0]!),
      ': search the library, ',
      key('M'),
      ': text instead of code.',
    ),
  );
}

// All commands by name.

import { el } from '../dom';
import { commands } from './commands';
import { keysOf } from './keys';

/** Opens the list; the chosen command's id goes to run. */
export function openPalette(run: (id: string) => void, back: () => void): void {
  const input = el('input', {
    type: 'text',
    placeholder: 'What to do',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-label': 'Command',
    spellcheck: 'false',
  });
  const list = el('ul', { id: 'palette-list', role: 'listbox' });
  const dialog = el('dialog.palette', { 'aria-label': 'Commands' }, input, list);
  let at = 0;
  let found = commands;
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const choose = (id: string) => {
    close();
    back();
    run(id);
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = commands.filter((c) => words.every((w) => `${c.label} ${c.group}`.toLowerCase().includes(w)));
    at = Math.max(0, Math.min(at, found.length - 1));
    list.replaceChildren(
      ...found.map((c, i) =>
        el(
          'li',
          { role: 'option', id: `p-${c.id}`, 'aria-selected': String(i === at), click: () => choose(c.id) },
          el('span', {}, c.label),
          el('kbd', {}, keysOf(c)),
        ),
      ),
    );
    list.children[at]?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', found[at] ? `p-${found[at]!.id}` : '');
  };
  input.addEventListener('input', () => {
    at = 0;
    show();
  });
  dialog.addEventListener('keydown', (e) => {
    e.stopPropagation();
    if (e.key === 'ArrowDown') at++;
    else if (e.key === 'ArrowUp') at--;
    else if (e.key === 'Enter') {
      if (found[at]) choose(found[at]!.id);
      return;
    } else return;
    e.preventDefault();
    show();
  });
  dialog.addEventListener('cancel', () => {
    dialog.remove();
    back();
  });
  document.body.append(dialog);
  dialog.showModal();
  show();
}

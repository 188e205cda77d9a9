// Questions to the user, and menus.

import { el } from '../dom';

export interface Choice<T> {
  label: string;
  value: T;
  primary?: boolean;
  danger?: boolean;
}

/** Shows a question and waits for a choice; Escape answers null. */
export function ask<T>(title: string, body: (Node | string)[], choices: Choice<T>[]): Promise<T | null> {
  return new Promise((done) => {
    const opener = document.activeElement as HTMLElement | null;
    const dialog = el('dialog.ask', { 'aria-label': title });
    const close = (value: T | null) => {
      dialog.close();
      dialog.remove();
      opener?.focus({ preventScroll: true });
      done(value);
    };
    const buttons = choices.map((c) =>
      el(
        c.danger ? 'button.danger' : c.primary ? 'button.primary' : 'button',
        { type: 'button', click: () => close(c.value) },
        c.label,
      ),
    );
    dialog.append(el('h2', {}, title), el('div.body', {}, ...body), el('div.choices', {}, ...buttons));
    dialog.addEventListener('cancel', (e) => {
      e.preventDefault();
      close(null);
    });
    dialog.addEventListener('keydown', (e) => {
      e.stopPropagation();
      scrolled(dialog.querySelector<HTMLElement>('.body')!, e);
    });
    document.body.append(dialog);
    dialog.showModal();
    (dialog.querySelector<HTMLElement>('input, .primary') ?? buttons[0])?.focus();
  });
}

/** Scrolls a long text by keys while a button below it has the focus. */
function scrolled(body: HTMLElement, e: KeyboardEvent): void {
  if (!(e.target instanceof HTMLButtonElement) || body.scrollHeight <= body.clientHeight) return;
  const page = body.clientHeight * 0.9;
  const by = {
    ArrowDown: 40,
    ArrowUp: -40,
    PageDown: page,
    PageUp: -page,
    Home: -body.scrollHeight,
    End: body.scrollHeight,
  }[e.key];
  if (by === undefined) return;
  e.preventDefault();
  body.scrollBy(0, by);
}

export const tell = (title: string, ...body: (Node | string)[]) =>
  ask(title, body, [{ label: 'Close', value: true, primary: true }]);

/** Asks for one line of text; null when the user turns back. */
export async function askText(
  title: string,
  label: string,
  value: string,
  action: string,
  secret = false,
): Promise<string | null> {
  const input = el('input', {
    type: secret ? 'password' : 'text',
    value,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  input.addEventListener('keydown', (e) => {
    if (e.key === 'Enter') {
      e.preventDefault();
      input.closest('dialog')!.querySelector<HTMLElement>('.primary')!.click();
    }
  });
  const dot = value.lastIndexOf('.');
  queueMicrotask(() => input.setSelectionRange(0, dot > 0 ? dot : value.length));
  const answer = await ask(
    title,
    [el('label', {}, label, input)],
    [
      { label: 'Cancel', value: false },
      { label: action, value: true, primary: true },
    ],
  );
  return answer ? input.value.trim() : null;
}

export interface Item {
  label: string;
  keys?: string;
  checked?: boolean;
  disabled?: boolean;
  run(): void;
}

/** Opens a menu under a button. Groups are parted by a line. */
export function openMenu(anchor: HTMLElement, groups: Item[][]): void {
  document.querySelector('.menu')?.remove();
  const menu = el('div.menu', { role: 'menu' });
  const close = (focus = true) => {
    menu.remove();
    anchor.setAttribute('aria-expanded', 'false');
    document.removeEventListener('mousedown', outside, true);
    if (focus) anchor.focus();
  };
  const outside = (e: Event) => {
    if (!menu.contains(e.target as Node)) close(false);
  };
  groups
    .filter((g) => g.length)
    .forEach((group, i) => {
      if (i) menu.append(el('hr', { role: 'separator' }));
      for (const item of group) {
        menu.append(
          el(
            'button',
            {
              type: 'button',
              role: item.checked === undefined ? 'menuitem' : 'menuitemcheckbox',
              'aria-checked': item.checked === undefined ? null : String(item.checked),
              disabled: item.disabled,
              tabindex: -1,
              click: () => {
                close();
                item.run();
              },
            },
            el('span', {}, item.label),
            item.keys ? el('kbd', {}, item.keys) : null,
          ),
        );
      }
    });
  menu.addEventListener('keydown', (e) => {
    e.stopPropagation();
    const items = [...menu.querySelectorAll<HTMLElement>('button:not([disabled])')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (e.key === 'Escape' || e.key === 'Tab') close();
    else if (e.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (e.key === 'ArrowUp') items[(at - 1 + items.length) % items.length]?.focus();
    else if (e.key === 'Home') items[0]?.focus();
    else if (e.key === 'End') items[items.length - 1]?.focus();
    else if (e.key.length === 1)
      items.find((b, i) => i > at && b.textContent!.toLowerCase().startsWith(e.key))?.focus();
    else return;
    e.preventDefault();
  });
  document.body.append(menu);
  const box = anchor.getBoundingClientRect();
  menu.style.top = `${box.bottom + 6}px`;
  menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.maxHeight = `${innerHeight - box.bottom - 16}px`;
  anchor.setAttribute('aria-expanded', 'true');
  document.addEventListener('mousedown', outside, true);
  menu.querySelector<HTMLElement>('button:not([disabled])')?.focus();
}

/** A line above the page for things that need attention; it stays until closed or replaced under its key. */
export function banner(
  host: HTMLElement,
  key: string,
  text: string | null,
  actions: { label: string; run(): void }[] = [],
  kind: 'info' | 'warning' | 'error' = 'info',
): void {
  host.querySelector(`[data-key="${key}"]`)?.remove();
  if (text === null) return;
  const bar = el(
    'div.banner',
    { 'data-key': key, 'data-kind': kind, role: kind === 'info' ? 'status' : 'alert' },
    el('span', {}, text),
  );
  for (const a of actions) bar.append(el('button', { type: 'button', click: () => a.run() }, a.label));
  host.append(bar);
}

/** Runs an action; a failure becomes a banner instead of silence. */
export async function guarded(host: HTMLElement, what: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    banner(host, 'failed', null);
    return true;
  } catch (e) {
    banner(
      host,
      'failed',
      `${what}: ${(e as Error).message}`,
      [{ label: 'Close', run: () => banner(host, 'failed', null) }],
      'error',
    );
    return false;
  }
}

// Small helpers to build and query the page.

type Child = Node | string | null | undefined | false;
type Attrs = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** Makes an element: 'div.name.other', attributes (functions become listeners), children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  spec: K | `${K}.${string}`,
  attrs: Attrs = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [tag, ...classes] = spec.split('.');
  const node = document.createElement(tag as K);
  if (classes.length) node.className = classes.join(' ');
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value as EventListener);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return node;
}

/** Says a sentence to screen readers without showing it. */
export function announce(text: string): void {
  let live = document.getElementById('live');
  if (!live) {
    live = el('div', { id: 'live', role: 'status', 'aria-live': 'polite', class: 'visually-hidden' });
    document.body.append(live);
  }
  // The same text twice is only read twice when it changes in between.
  live.textContent = '';
  requestAnimationFrame(() => {
    live.textContent = text;
  });
}

/** A button with an icon, named for screen readers and in its tooltip. */
export function iconButton(icon: string, label: string, run: () => void, keys = ''): HTMLButtonElement {
  const button = el('button.icon', {
    type: 'button',
    'aria-label': label,
    title: keys ? `${label} (${keys})` : label,
    click: () => run(),
  });
  button.append(svgIcon(icon));
  return button;
}

// Drawn on a 16 × 16 grid, stroked in the text's colour.
const icons: Record<string, string> = {
  run: 'M5 3.2v9.6l7.6-4.8z',
  runall: 'M2.6 3.6v8.8L8.4 8zM8.6 3.6v8.8L14.4 8z',
  pause: 'M5.6 3.4v9.2M10.4 3.4v9.2',
  follow: 'M8 1.6v2.6M8 11.8v2.6M1.6 8h2.6M11.8 8h2.6M8 11.8a3.8 3.8 0 1 0 0-7.6 3.8 3.8 0 0 0 0 7.6zM8 8h.01',
  stop: 'M4.2 4.2h7.6v7.6H4.2z',
  restart: 'M12.9 8a4.9 4.9 0 1 1-1.5-3.5M12.9 2.4v2.9H10',
  more: 'M3.4 8h.01M8 8h.01M12.6 8h.01',
  plus: 'M8 3.2v9.6M3.2 8h9.6',
  up: 'M8 12.8V3.4M4.2 7.2 8 3.4l3.8 3.8',
  down: 'M8 3.2v9.4M4.2 8.8 8 12.6l3.8-3.8',
  trash: 'M3 4.4h10M6.4 4.2V2.8h3.2v1.4M4.4 4.6l.6 8.6h6l.6-8.6',
  search: 'M7.2 11.6a4.4 4.4 0 1 0 0-8.8 4.4 4.4 0 0 0 0 8.8zM10.4 10.4 13.4 13.4',
  close: 'M4 4l8 8M12 4l-8 8',
  chevron: 'M6 4l4 4-4 4',
  folder: 'M2.4 12.6V4h4l1.4 1.6h5.8v7z',
  notebook: 'M4 2.4h8.4v11.2H4zM4 5.2H2.6M4 8H2.6M4 10.8H2.6M7 5.6h3M7 8h3',
  file: 'M4 2.4h5.2L12 5.2v8.4H4zM9 2.6v2.8h2.8',
  upload: 'M8 11V3.4M4.6 6.6 8 3.2l3.4 3.4M3 13h10',
  theme: 'M8 2.4a5.6 5.6 0 1 0 0 11.2zM8 2.4a5.6 5.6 0 0 1 0 11.2',
  variables: 'M3 4h10M3 8h10M3 12h10M6.4 2.8v2.4M10.4 6.8v2.4M5 10.8v2.4',
  outline: 'M3 3.6h8M5.4 6.6h7.2M5.4 9.6h7.2M3 12.6h8',
  book: 'M8 4.4C6.8 3.4 5 3 2.8 3v9.4c2.2 0 4 .4 5.2 1.4 1.2-1 3-1.4 5.2-1.4V3C11 3 9.2 3.4 8 4.4zM8 4.4v9.4',
  pan: 'M8 2.4v11.2M2.4 8h11.2M6.4 4 8 2.4 9.6 4M6.4 12 8 13.6 9.6 12M4 6.4 2.4 8 4 9.6M12 6.4 13.6 8 12 9.6',
  lasso: 'M8 3c3.2 0 5.4 1.6 5.4 3.6S11.2 10.4 8 10.4 2.6 8.8 2.6 6.6 4.8 3 8 3zM4.6 9.6c-1.2 1.2-.6 3 1 3.4',
  home: 'M3 7.6 8 3.2l5 4.4M4.4 6.8v6h7.2v-6',
  bell: 'M3.6 11.4h8.8c-.9-.9-1.2-1.9-1.2-4.2a3.2 3.2 0 0 0-6.4 0c0 2.3-.3 3.3-1.2 4.2zM6.8 13.2h2.4',
  save: 'M3 3h8l2 2v8H3zM5.4 3v3.4h4.4V3M5 13V9.4h6V13',
};

export function svgIcon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `i i-${name}`);
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name] ?? '');
  svg.append(path);
  return svg;
}

/** Runs f at most once per animation frame. */
export function perFrame(f: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    // A tab in the background gets no frames; its output must go on all the same.
    const run = () => {
      if (scheduled) {
        scheduled = false;
        f();
      }
    };
    if (document.hidden) setTimeout(run, 100);
    else {
      requestAnimationFrame(run);
      setTimeout(run, 250);
    }
  };
}

/**
 * As perFrame, and with what the browser makes of it f takes at most a tenth of the time: where it is slow, it comes less
 * often.
 */
export function paced(f: () => void): () => void {
  let [rest, waiting] = [0, false];
  const run = perFrame(() => {
    const began = performance.now();
    f();
    // Behind the frame that shows it.
    setTimeout(() => {
      const now = performance.now();
      rest = now + 9 * (now - began - 50);
    });
  });
  return () => {
    if (waiting) return;
    const wait = rest - performance.now();
    if (wait <= 0) return run();
    waiting = true;
    setTimeout(() => {
      waiting = false;
      run();
    }, wait);
  };
}

/** The bytes of base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Saves a file on the user's machine. */
export function download(name: string, type: string, content: BlobPart): void {
  const link = el('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A signal: functions to call when something happens. */
export class Signal<T = void> {
  private readonly listeners = new Set<(value: T) => void>();
  on(f: (value: T) => void): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }
  emit(value: T): void {
    for (const f of [...this.listeners]) f(value);
  }
}

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

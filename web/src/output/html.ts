// HTML that came from somewhere: cleaned for the page, or run in a frame that can reach nothing.

import DOMPurify from 'dompurify';
import { base } from '../address';
import { el } from '../dom';
import { cutNodes } from './ansi';

const clean = {
  FORBID_TAGS: [
    'style',
    'form',
    'input',
    'textarea',
    'button',
    'select',
    'option',
    'optgroup',
    'dialog',
    'link',
    'meta',
    'base',
    'iframe',
    'frame',
    'object',
    'embed',
    'portal',
    'slot',
    'template',
  ],
  FORBID_ATTR: [
    'target',
    'formaction',
    'action',
    'ping',
    'srcset',
    'autofocus',
    'tabindex',
    'contenteditable',
    'popover',
    'popovertarget',
  ],
  ALLOW_DATA_ATTR: false,
  // DOMPurify's own list and attachment:, which names a picture of the cell.
  ALLOWED_URI_REGEXP:
    /^(?:(?:(?:f|ht)tps?|mailto|tel|callto|sms|cid|xmpp|matrix|attachment):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  // An id or name in an output must not stand for one of the page's own variables.
  SANITIZE_NAMED_PROPS: true,
};

const purify = DOMPurify(window);

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement && node.hasAttribute('href') && !node.getAttribute('href')!.startsWith('#')) {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  if (node instanceof Element && node.hasAttribute('class')) {
    // The page's own classes are not for outputs.
    const kept = [...node.classList].filter((c) => /^(tok-|language-|nacre-|footnote|dataframe$)/.test(c));
    if (kept.length) node.setAttribute('class', kept.join(' '));
    else node.removeAttribute('class');
  }
  if (node instanceof HTMLElement && node.hasAttribute('style')) {
    // An output may not lie over the page, nor fetch anything through a style.
    const style = node.style;
    if (/fixed|sticky|absolute/.test(style.position)) style.position = '';
    if (/url\s*\(/i.test(node.getAttribute('style')!)) node.removeAttribute('style');
  }
  if (node instanceof HTMLImageElement || node instanceof HTMLMediaElement || node instanceof HTMLSourceElement) {
    const src = node.getAttribute('src') ?? '';
    if (/^([a-z][a-z0-9+.-]*:)?\/\//i.test(src)) {
      // Opening a notebook asks no other machine for anything. The page's policy would block it too.
      const link = el(
        'a.blocked',
        { href: src, target: '_blank', rel: 'noopener noreferrer' },
        `[${node.getAttribute('alt') || 'image'} on ${hostOf(src)}]`,
      );
      node.replaceWith(link);
    } else if (node instanceof HTMLImageElement) node.loading = 'lazy';
  }
});

function hostOf(src: string): string {
  try {
    return new URL(src, location.href).host;
  } catch {
    return 'another machine';
  }
}

/** HTML without anything that runs, submits, or reaches out of its place. */
export function sanitize(html: string): DocumentFragment {
  return purify.sanitize(html, { ...clean, RETURN_DOM_FRAGMENT: true });
}

/** Clean nodes as text of a file. */
export function htmlText(nodes: DocumentFragment): string {
  return el('div', {}, nodes).innerHTML;
}

/** Whether HTML wants to run something. */
export function isActive(html: string): boolean {
  return /<script|<iframe|<object|<embed|[\s"'/]on[a-z]+\s*=|javascript:/i.test(html);
}

/** The HTML in a frame of its own origin, with scripts and without a network. */
export function sandboxed(html: string): HTMLElement {
  const frame = el('iframe.sandboxed', {
    sandbox: 'allow-scripts',
    title: 'Output with a script, in a sandbox',
    referrerpolicy: 'no-referrer',
    src: base + 'static/frame.html',
  });
  frame.addEventListener(
    'load',
    () => {
      const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
      frame.contentWindow?.postMessage({ html, dark }, '*');
    },
    { once: true },
  );
  const onMessage = (event: MessageEvent) => {
    if (!frame.isConnected && frame.dataset.shown) {
      removeEventListener('message', onMessage);
      return;
    }
    if (event.source !== frame.contentWindow) return;
    const height = Number(event.data?.height);
    if (height > 0) {
      frame.dataset.shown = '1';
      frame.style.height = `${Math.min(4000, Math.ceil(height))}px`;
    }
  };
  addEventListener('message', onMessage);
  return frame;
}

/** An output's HTML: cleaned, or sandboxed when it has a script and was made since the page was opened. */
export function htmlOutput(html: string, fresh: boolean): HTMLElement {
  const host = el('div.html');
  if (!isActive(html)) {
    host.append(cutNodes(sanitize(html)));
  } else if (fresh) {
    host.append(sandboxed(html));
  } else {
    host.append(
      cutNodes(sanitize(html)),
      el(
        'p.note',
        {},
        'This output from the file has a script, which was not run. ',
        el(
          'button.link',
          { type: 'button', click: () => host.replaceChildren(sandboxed(html)) },
          'Run it in a sandbox',
        ),
      ),
    );
  }
  return host;
}

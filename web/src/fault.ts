// Runs before a page's own script, which a fault while it loads would leave white: a sentence stands there instead.

// A browser whose language is none, such as "C", fails wherever numbers are formatted for it.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { configurable: true, get: () => 'en' });
}

/** A page that works has this soon. */
const stands = () => document.querySelector('.page, main, .problem, form');

function tell(why: unknown): void {
  setTimeout(() => {
    if (stands()) return;
    const text = why instanceof Error ? why.message : String(why || 'a script failed');
    const p = document.createElement('p');
    p.className = 'problem';
    p.setAttribute('role', 'alert');
    p.textContent = `This page could not be shown: ${text}. Load it again, or open it in another browser.`;
    document.body.append(p);
  }, 300);
}

addEventListener(
  'error',
  (e) => {
    if (e.target instanceof HTMLScriptElement) tell(`${e.target.src} did not load`);
    else if (e instanceof ErrorEvent) tell(e.message);
  },
  true,
);
addEventListener('unhandledrejection', (e) => tell(e.reason));

// Light, dark, or as the system has it. Kept in this browser.

export type ThemeChoice = 'system' | 'light' | 'dark';
const key = 'nacre.theme';
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

export function themeChoice(): ThemeChoice {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function apply(): void {
  const choice = themeChoice();
  root.dataset.theme = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice;
  document.dispatchEvent(new CustomEvent('nacre:theme'));
}

export function setTheme(choice: ThemeChoice): void {
  localStorage.setItem(key, choice);
  apply();
}

/** The next choice in the order system, light, dark. */
export function nextTheme(): ThemeChoice {
  const order: ThemeChoice[] = ['system', 'light', 'dark'];
  const next = order[(order.indexOf(themeChoice()) + 1) % 3]!;
  setTheme(next);
  return next;
}

/** Does something in light colours, after figures have been drawn in them. */
export async function lightWhile(f: () => void): Promise<void> {
  root.dataset.theme = 'light';
  document.dispatchEvent(new CustomEvent('nacre:theme'));
  // Figures draw in the frame after the next, or within a quarter of a second.
  await new Promise((done) => setTimeout(done, 400));
  f();
  apply();
}

export function startTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

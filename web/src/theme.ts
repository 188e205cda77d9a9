// Light, dark, or as the system has it. Kept in this browser.

export type ThemeChoice = 'system' | 'light' | 'dark';
const key = 'nacre.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export function themeChoice(): ThemeChoice {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function apply(): void {
  const choice = themeChoice();
  document.documentElement.dataset.theme = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice;
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

export function startTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

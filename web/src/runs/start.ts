// What a new run is asked for.

import { el } from '../dom';
import { ask } from '../ui/dialog';
import { api, type Spec } from './api';
import { seeds } from './seeds';

/** As many settings are offered for what was typed. */
const mostOffers = 8;

/** Asks what to train and starts it; false when the user turns back. What is wrong is said beside what was typed. */
export async function startRun(preset: string, start: (spec: Spec) => Promise<unknown>): Promise<boolean> {
  const known = await api.presets();
  const { names, about } = known;
  const choice = el('select', { 'aria-label': 'Preset' }, ...names.map((n) => el('option', { value: n }, n)));
  choice.value = names.includes(preset) ? preset : names.includes('quick/point-goal') ? 'quick/point-goal' : names[0]!;
  const algorithm = el(
    'select',
    { 'aria-label': 'Algorithm' },
    el('option', { value: '' }, 'the preset’s'),
    ...known.algorithms.map((a, i) => el('option', { value: a }, known.titles[i]!)),
  );
  const said = el('p.note');
  const set = el('textarea', {
    rows: 4,
    placeholder: 'pearl.latent=7\ntcl.window=20',
    'aria-label': 'Changes, one key=value per line',
    spellcheck: 'false',
  });
  const offers = el('ul.offers', { 'aria-label': 'Settings with what is typed' });
  const problem = el('p.problem-line', { role: 'alert' });
  let defaults: Record<string, string> = {};
  const offer = () => offers.replaceChildren(...offered(set, defaults, offer));
  const tell = async () => {
    said.textContent = about[names.indexOf(choice.value)] ?? '';
    try {
      defaults = await api.defaults(choice.value, algorithm.value);
      problem.textContent = '';
    } catch (e) {
      defaults = {};
      problem.textContent = (e as Error).message;
    }
    offer();
  };
  for (const field of [choice, algorithm]) field.addEventListener('change', () => void tell());
  for (const event of ['input', 'click', 'keyup']) set.addEventListener(event, offer);
  await tell();
  const seed = el('input', { type: 'text', placeholder: 'the preset’s; 3, 1-4, or 1, 5', 'aria-label': 'Seeds' });
  const name = el('input', { type: 'text', placeholder: 'made from the rest', 'aria-label': 'Name' });
  for (;;) {
    const answer = await ask(
      'New run',
      [
        el(
          'div.start',
          {},
          el('label', {}, 'Preset', choice),
          said,
          el('label', {}, 'Algorithm', algorithm),
          el('label', {}, 'Changes', set),
          offers,
          el('label', {}, 'Seeds', seed),
          el('label', {}, 'Folder below runs', name),
          problem,
        ),
      ],
      [
        { label: 'Cancel', value: false },
        { label: 'Start', value: true, primary: true },
      ],
    );
    if (!answer) return false;
    try {
      const wanted = specs(choice.value, algorithm.value, set.value, seed.value, name.value.trim());
      for (let k = wanted.length; k > 0; k--) {
        await start(wanted[wanted.length - k]!);
        // Those that have begun are not begun again.
        if (k > 1)
          seed.value = wanted
            .slice(wanted.length - k + 1)
            .map((s) => s.seed)
            .join(', ');
      }
      return true;
    } catch (e) {
      problem.textContent = (e as Error).message;
    }
  }
}

/** The runs that are asked for, one for each seed. */
export function specs(preset: string, algorithm: string, set: string, seed: string, name: string): Spec[] {
  const list = seeds(seed);
  if (!list) throw new Error(`Seeds “${seed}”; expected such as 3, 1-4 or 1, 5.`);
  const changes = set
    .split('\n')
    .map((l) => l.trim())
    .filter(Boolean);
  const wrong = changes.find((l) => !/^[\w.]+\s*=/.test(l));
  if (wrong) throw new Error(`“${wrong}”; expected key=value.`);
  const pairs = changes.map((l) => l.replace(/\s*=\s*/, '='));
  const all = algorithm ? [`algorithm=${algorithm}`, ...pairs] : pairs;
  return (list.length ? list : [null]).map((s) => ({
    preset,
    set: all,
    device: '',
    seed: s,
    name: name && (list.length > 1 ? `${name}-seed${s}` : name),
  }));
}

/** Settings with the word before the cursor in their names; a click completes it with the value that holds now. */
function offered(set: HTMLTextAreaElement, defaults: Record<string, string>, again: () => void): HTMLElement[] {
  const from = set.value.lastIndexOf('\n', set.selectionStart - 1) + 1;
  const word = set.value.slice(from, set.selectionStart);
  if (!/^[\w.]+$/.test(word)) return [];
  return Object.keys(defaults)
    .filter((k) => k.includes(word) && k !== 'algorithm' && k !== 'seed')
    .sort((a, b) => Number(b.startsWith(word)) - Number(a.startsWith(word)) || a.localeCompare(b))
    .slice(0, mostOffers)
    .map((k) =>
      el(
        'li',
        {},
        el(
          'button.link',
          {
            type: 'button',
            click: () => {
              set.setRangeText(`${k}=${defaults[k]}`, from, set.selectionStart, 'end');
              set.focus();
              again();
            },
          },
          `${k} = ${defaults[k]}`,
        ),
      ),
    );
}

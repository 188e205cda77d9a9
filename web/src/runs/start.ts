// What a new run is asked for.

import { el } from '../dom';
import { ask } from '../ui/dialog';
import { api, type Spec } from './api';
import { seeds } from './seeds';

/** Asks what to train; null when the user turns back. */
export async function startRun(preset: string): Promise<Spec[] | null> {
  const { names, about } = await api.presets();
  const choice = el('select', { 'aria-label': 'Preset' }, ...names.map((n) => el('option', { value: n }, n)));
  choice.value = names.includes(preset) ? preset : names.includes('quick/point-goal') ? 'quick/point-goal' : names[0]!;
  const said = el('p.note');
  const tell = () => {
    said.textContent = about[names.indexOf(choice.value)] ?? '';
  };
  choice.addEventListener('change', tell);
  tell();
  const set = el('textarea', {
    rows: 4,
    placeholder: 'pearl.latent=7\ntcl.window=20',
    'aria-label': 'Changes, one key=value per line',
    spellcheck: 'false',
  });
  const seed = el('input', { type: 'text', placeholder: 'the preset’s; 3, 1-4, or 1, 5', 'aria-label': 'Seeds' });
  const name = el('input', { type: 'text', placeholder: 'made from the rest', 'aria-label': 'Name' });
  const problem = el('p.problem-line', { role: 'alert' });
  for (;;) {
    const answer = await ask(
      'New run',
      [
        el(
          'div.start',
          {},
          el('label', {}, 'Preset', choice),
          said,
          el('label', {}, 'Changes', set),
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
    if (!answer) return null;
    const list = seeds(seed.value);
    if (!list) {
      problem.textContent = `Seeds “${seed.value}”; expected such as 3, 1-4 or 1, 5.`;
      continue;
    }
    const changes = set.value
      .split('\n')
      .map((l) => l.trim())
      .filter(Boolean);
    const wrong = changes.find((l) => !/^[\w.]+\s*=/.test(l));
    if (wrong) {
      problem.textContent = `“${wrong}”; expected key=value.`;
      continue;
    }
    const base = { preset: choice.value, set: changes.map((l) => l.replace(/\s*=\s*/, '=')), device: '' };
    return (list.length ? list : [null]).map((s) => ({
      ...base,
      seed: s,
      name: name.value.trim() && (list.length > 1 ? `${name.value.trim()}-seed${s}` : name.value.trim()),
    }));
  }
}

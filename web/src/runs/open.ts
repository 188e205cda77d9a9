// Opens the page of runs.

import { RunsPage } from './page';

export async function openRuns(): Promise<void> {
  const runs = new RunsPage();
  document.body.append(runs.dom);
  await runs.poll();
}

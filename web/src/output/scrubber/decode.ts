// A scrubber's JSON, as Go's package library/display makes it. What its parts hold their own views check.

import { elements, fields } from '../../model/json';

export interface Checkpoint {
  name: string;
  at: number;
  embedding: unknown;
  rollout: unknown;
}

export function decode(data: unknown): { title: string; checkpoints: Checkpoint[]; curves: unknown } {
  const v = fields(data);
  if (v.version !== 1) throw new Error(`The scrubber has version ${JSON.stringify(v.version)}; expected 1.`);
  const list = elements(v.checkpoints).map(fields);
  if (!list.length) throw new Error('The scrubber has no checkpoints.');
  return {
    title: String(v.title ?? ''),
    curves: v.curves ?? null,
    checkpoints: list.map((c, i) => {
      if (!Number.isFinite(c.at))
        throw new Error(`Checkpoint ${i} of the scrubber is at ${JSON.stringify(c.at)}; expected a number.`);
      return { name: String(c.name ?? ''), at: c.at as number, embedding: c.embedding, rollout: c.rollout ?? null };
    }),
  };
}

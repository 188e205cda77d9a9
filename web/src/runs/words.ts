// Times in words.

/** How long ago a time in milliseconds was. */
export function ago(time: number, now = Date.now()): string {
  const s = Math.max(0, (now - time) / 1000);
  if (s < 10) return 'now';
  for (const [of, name] of [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const)
    if (s >= of) return `${Math.floor(s / of)} ${name} ago`;
  return `${Math.floor(s)} s ago`;
}

/** Seconds as "3 h 20 min". */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** A share in whole per cent; only all of it is 100. */
export const percent = (share: number): string => `${Math.floor(100 * share + 1e-9)} %`;

/** Paths without what all of them begin with, folder by folder. */
export function shortened(paths: string[]): string[] {
  const parts = paths.map((p) => p.split('/'));
  let n = 0;
  while (paths.length > 1 && parts.every((p) => p.length > n + 1 && p[n] === parts[0]![n])) n++;
  return parts.map((p) => p.slice(n).join('/'));
}

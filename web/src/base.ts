// Where everything of the server, or of the static site, lies.

import { isSite } from './site/about';

const told =
  typeof document === 'undefined' ? null : document.querySelector<HTMLMetaElement>('meta[name="nacre-base"]');

/** The path under which the server or the static site lives; every page, API and asset is below it. */
export const base = isSite ? new URL('.', location.href).pathname : (told?.content ?? '/');

/** The page's path as the server sees it, without what a proxy puts before it. */
export const within = (path: string): string => (path.startsWith(base) ? '/' + path.slice(base.length) : path);

/** Where a person shows the token, and comes back from. */
export const loginUrl = (): string => `${base}login?next=${encodeURIComponent(within(location.pathname))}`;

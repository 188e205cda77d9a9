// JSON from elsewhere, of which nothing is known before it has been looked at.

/** The members of an object. */
export type Fields = Record<string, unknown>;

/** The members of a JSON object; none of what is no object. */
export const fields = (v: unknown): Fields => (Object(v) === v ? (v as Fields) : {});

/** The elements of a JSON list; none of what is no list. */
export const elements = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);

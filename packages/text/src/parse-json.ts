/** Gives the value to keep for a parsed one. `source` is the text of a number, a string, a boolean or null. */
export type Revive = (value: unknown, source: string | undefined) => unknown;

declare global {
  /** JSON's access to the source text: Node has it, TypeScript's library does not declare it yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * The value of a JSON text, as by `JSON.parse`, but every key is the one in the text. V8 may read an escaped key as another one when an earlier text had a
 * key with a backslash: after `{"a":1,"\\":2}`, it reads the key `"\n"` as a backslash (nodejs/node#63785; Node 24 and 26).
 * Rows and other texts with keys of any kind are read by this function; texts with escaped keys take ten times as long.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string, revive?: Revive): unknown {
  const keys = [...escapedKeys(text)];
  if (keys.length === 0) return parse(text, revive);
  // Text that is not JSON is reported before anything is replaced.
  JSON.parse(text);
  const names = new Map<string, string>();
  const replaced = replaceKeys(text, keys, names);
  return parse(replaced, (value, source) => {
    const restored = restoreKeys(value, names);
    return revive === undefined ? restored : revive(restored, source);
  });
}

/**
 * True if an object of a JSON text has a name twice: of those, the value has only the last one.
 *
 * @param value the result of parsing the text
 */
export function hasEqualNames(text: string, value: unknown): boolean {
  let names = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    const to = stringEnd(text, at) ?? text.length;
    if (isBeforeColon(text, to)) names += 1;
    at = text.indexOf('"', to);
  }
  return names !== countNames(value);
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return 0;
  const inner = Object.values(value).reduce<number>((sum, one) => sum + countNames(one), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

const parse = (text: string, revive: Revive | undefined): unknown =>
  revive === undefined
    ? JSON.parse(text)
    : JSON.parse(text, (_key, value, { source }) => revive(value, source));

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where JSON text has keys with a backslash, with their quotes. */
function* escapedKeys(text: string): Generator<Span> {
  for (let at = text.indexOf('\\'); at >= 0; ) {
    const to = stringEnd(text, at);
    if (to === undefined) return;
    if (isBeforeColon(text, to)) yield { from: text.lastIndexOf('"', at), to };
    at = text.indexOf('\\', to);
  }
}

/**
 * The place behind the quote that ends a JSON string; undefined if it does not end.
 *
 * @param at a place in the string: of its first quote, or of its first backslash
 */
export function stringEnd(text: string, at: number): number | undefined {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === '\\') before -= 1;
    // An even number of backslashes are pairs.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return undefined;
}

const space = /[ \t\r\n]/;

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (space.test(text[at] ?? '')) at += 1;
  return text[at] === ':';
}

/** @param names is filled with the keys, by the names that replace them */
function replaceKeys(text: string, keys: readonly Span[], names: Map<string, string>): string {
  let prefix = 'key-';
  while (text.includes(prefix)) prefix += '-';
  const replacements = new Map<string, string>();
  const parts: string[] = [];
  let from = 0;
  for (const key of keys) {
    const keyText = text.slice(key.from, key.to);
    let name = replacements.get(keyText);
    if (name === undefined) {
      name = `${prefix}${names.size}`;
      replacements.set(keyText, name);
      names.set(name, JSON.parse(keyText));
    }
    parts.push(text.slice(from, key.from), '"', name, '"');
    from = key.to;
  }
  return [...parts, text.slice(from)].join('');
}

function restoreKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (!entries.some(([name]) => names.has(name))) return value;
  return Object.fromEntries(entries.map(([name, member]) => [names.get(name) ?? name, member]));
}

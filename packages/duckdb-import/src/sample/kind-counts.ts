/** A kind that fewer values of a field have, of this many, is a mistake in the row. */
const rareShare = 0.01;
const minValues = 100;

/** Counts the kinds of the values of each field: numbers, texts, objects and so on. */
export class KindCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(row: object): void {
    for (const [path, kind] of kindsIn(row, '')) {
      const ofPath = this.#counts.get(path) ?? new Map<string, number>();
      this.#counts.set(path, ofPath.set(kind, (ofPath.get(kind) ?? 0) + 1));
    }
  }

  /** A field of a row whose value has a kind that hardly any other row has there, as in `proxy is a string`; undefined for none. */
  oddField(row: object): string | undefined {
    for (const [path, kind] of kindsIn(row, '')) {
      const counts = this.#counts.get(path) ?? new Map<string, number>();
      const all = counts.values().reduce((sum, count) => sum + count, 0);
      if (all >= minValues && (counts.get(kind) ?? 0) < all * rareShare)
        return `${path} is ${articled(kind)}`;
    }
    return undefined;
  }
}

const articled = (kind: string) => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);

function* kindsIn(value: unknown, path: string): Generator<readonly [path: string, kind: string]> {
  if (value === null) return;
  const isArray = Array.isArray(value);
  if (path !== '') yield [path, isArray ? 'array' : typeof value];
  if (typeof value !== 'object') return;
  for (const [name, inner] of isArray ? value.map((one) => ['[]', one] as const) : Object.entries(value))
    yield* kindsIn(inner, isArray ? `${path}[]` : path === '' ? name : `${path}.${name}`);
}

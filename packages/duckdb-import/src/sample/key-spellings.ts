/** The keys of rows by their lower-case form: a table has one column for those that differ in case only. */
export interface KeySpellings {
  readonly name: string;
  readonly inner: Map<string, KeySpellings>;
}

/**
 * A value with the first spelling of each key; the same object if it has no other. Of several keys in one object, the last
 * counts: the import leaves such a row out.
 *
 * @param known the spellings so far, to which those of the value are added
 * @param onOther called for each key with another spelling, and for one without letters, which is left out: a column needs a name
 */
export function withFirstSpellings(
  value: unknown,
  known: Map<string, KeySpellings>,
  onOther: (key: string, first: string) => void,
): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const folded = items.map((item) => withFirstSpellings(item, known, onOther));
    return folded.some((item, at) => item !== items[at]) ? folded : value;
  }
  const entries = Object.entries(value);
  if (entries.some(([key]) => key === '')) onOther('', '');
  const named = entries.filter(([key]) => key !== '');
  const folded = named.map(([key, item]): [string, unknown] => {
    const lower = key.toLowerCase();
    const spelling = known.get(lower) ?? { name: key, inner: new Map() };
    known.set(lower, spelling);
    if (spelling.name !== key) onOther(key, spelling.name);
    return [spelling.name, withFirstSpellings(item, spelling.inner, onOther)];
  });
  const isSame =
    folded.length === entries.length &&
    folded.every(([name, item], at) => name === entries[at]?.[0] && item === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(folded);
}

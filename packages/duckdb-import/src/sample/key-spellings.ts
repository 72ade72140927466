import { stringEnd } from '@querygate/text';

/** The keys of rows by their lower-case form: a table has one column for those that differ in case only. */
export interface KeySpellings {
  readonly name: string;
  readonly inner: Map<string, KeySpellings>;
}

/**
 * A value with the first spelling of each key; the same object if it has no other.
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

/** A key that an object of a JSON text has twice, in any letter case: the import leaves such a row out. */
export function keyTwice(text: string): string | undefined {
  const objects: Set<string>[] = [];
  const marks = /["{}[\]]/g;
  const colon = /\s*:/y;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '{' || mark[0] === '[') objects.push(new Set());
    else if (mark[0] !== '"') objects.pop();
    else {
      marks.lastIndex = colon.lastIndex = stringEnd(text, mark.index) ?? text.length;
      const key = text.slice(mark.index, marks.lastIndex);
      if (!colon.test(text)) continue;
      const name = key.includes('\\') ? String(JSON.parse(key)) : key.slice(1, -1);
      const lower = name.toLowerCase();
      const known = objects.at(-1);
      if (known?.has(lower)) return name;
      known?.add(lower);
    }
  }
  return undefined;
}

import { canonicalJson } from '../scalar-text.ts';
import type { Answer, Value } from '../values.ts';

/**
 * Whether two answers have the same rows, whatever their types, the names of their columns and the order of rows: other
 * programs have fewer types than BigQuery.
 */
export function isSameLoosely(ours: Answer, reference: Answer): boolean {
  if ('error' in ours || 'error' in reference) return 'error' in ours && 'error' in reference;
  const [a, b] = [ours, reference].map(({ rows }) => rows.map((row) => row.map(textOf).join('|')).sort());
  return JSON.stringify(a) === JSON.stringify(b);
}

function textOf(value: Value): string {
  if (value === null) return 'NULL';
  // A NULL array is an empty one in results.
  if (value.type === 'ARRAY')
    return value.items.length === 0 ? 'NULL' : `[${value.items.map(textOf).join()}]`;
  if (value.type === 'STRUCT') return `(${value.fields.map((field) => textOf(field.value)).join()})`;
  const text = value.type === 'FOREIGN' ? (value.text.split(' ').at(-1) ?? '') : value.text;
  if (value.type === 'JSON') return jsonOf(text);
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(text) || /^\d\d:\d\d:\d\d/.test(text))
    return text
      .replace('T', ' ')
      .replace(/(?:Z|\+00(?::00)?)$/, '')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '');
  const number = Number(text);
  return text !== '' && Number.isFinite(number) && value.type !== 'STRING' && value.type !== 'BYTES'
    ? String(Number(number.toPrecision(13)))
    : text;
}

function jsonOf(text: string): string {
  try {
    return canonicalJson(text);
  } catch {
    return text;
  }
}

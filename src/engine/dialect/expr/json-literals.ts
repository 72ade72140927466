import type { JsonLiteral } from 'sql-parser-cst';
import type { Rule } from '../translator.ts';
import { scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { quoteText } from './literals.ts';

/** `JSON '…'`, its names in alphabetical order as BigQuery keeps them. */
export const jsonLiteral: Rule<JsonLiteral> = (node) => ({
  text: `CAST(${quoteText(canonicalText(parseJson(node)))} AS JSON)`,
  type: scalar('JSON'),
});

function parseJson(node: JsonLiteral): unknown {
  try {
    return JSON.parse(node.string.value, keepNumbers);
  } catch {
    throw new Unsupported(node, 'this is not JSON');
  }
}

/** A number as it was written: JavaScript's own would make 1 of 1.0. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function keepNumbers(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) throw new RangeError('number overflow');
  const source = context?.source ?? String(value);
  return new WrittenNumber(isWide(source) ? String(value) : source);
}

/** Whether neither INT64 nor UINT64 holds an integer, so that BigQuery makes a FLOAT64 of it. */
const isWide = (source: string) =>
  /^-?\d+$/.test(source) && (BigInt(source) >= 2n ** 64n || BigInt(source) < -(2n ** 63n));

function canonicalText(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, content]) => `${JSON.stringify(name)}:${canonicalText(content)}`).join(',')}}`;
}

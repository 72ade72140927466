import { parseJson } from '@querygate/text';
import { jsonTreeText, parseJsonTree } from '../../macros/host/json-tree.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/**
 * The text of a JSON literal, with its names in alphabetical order as in BigQuery, which keeps the first of members with
 * one name.
 *
 * @throws Unsupported if the text is not JSON
 */
export function canonicalJson(place: Place, text: string): string {
  try {
    // Text that is not JSON is reported before members are left out.
    parseJson(text);
    return canonicalText(parseJson(jsonTreeText(parseJsonTree(text)), keepNumbers));
  } catch {
    throw new Unsupported(place, 'invalid JSON');
  }
}

/** A number with its original text: JavaScript would turn 1.0 into 1. */
class WrittenNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function keepNumbers(value: unknown, text: string | undefined): unknown {
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) throw new RangeError('number overflow');
  const source = text ?? String(value);
  if (isWide(source)) return new WrittenNumber(value.toExponential());
  return new WrittenNumber(source === '-0' ? '0' : source);
}

/** True if an integer fits neither INT64 nor UINT64, so that BigQuery converts it to FLOAT64. */
const isWide = (source: string) =>
  /^-?\d+$/.test(source) && (BigInt(source) >= 2n ** 64n || BigInt(source) < -(2n ** 63n));

function canonicalText(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, content]) => `${JSON.stringify(name)}:${canonicalText(content)}`).join(',')}}`;
}

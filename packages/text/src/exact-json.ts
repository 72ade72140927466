import { parseJson } from './parse-json.ts';

/** A parsed JSON value in which integers are bigints, whatever their size; other numbers are numbers. */
export type ExactJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson };

/** Parses JSON text so that no digit of an integer is lost, and `1` differs from `1.0`. */
export function parseExact(text: string): ExactJson {
  // Most cells are one scalar, for which the parser with a callback takes several times as long.
  if (integerText.test(text)) return BigInt(text);
  if (!text.startsWith('{') && !text.startsWith('[')) return JSON.parse(text) as ExactJson;
  return parseJson(text, (value, source) =>
    typeof value === 'number' && source !== undefined && integerText.test(source) ? BigInt(source) : value,
  ) as ExactJson;
}

const integerText = /^-?\d+$/;

/** The text of a value that `parseExact` gave. */
export function exactText(value: ExactJson): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(exactText).join(',')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`,
  );
  return `{${members.join(',')}}`;
}

/** True for an array; `Array.isArray` does not narrow readonly ones. */
export const isList = (value: ExactJson): value is readonly ExactJson[] => Array.isArray(value);

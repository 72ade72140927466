/** A value of a JSON text; integers that a number cannot hold exactly are BigInt. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** Browsers pass the text of a value to the reviver; older ones do not. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parseWith = JSON.parse as (text: string, reviver?: Reviver) => unknown;

/** Integers that may be beyond 2^53 = 9007199254740992. Timestamps of this century, in microseconds, are smaller. */
const mayHoldLargeIntegers = /(?<![.\d])(?:\d{17}|9\d{15})/;

/** As JSON.parse, without losing digits of integers. @throws SyntaxError */
export function parseJson(text: string): Json {
  // A function for each value takes several times as long.
  return parseWith(text, mayHoldLargeIntegers.test(text) ? exactInteger : undefined) as Json;
}

const exactInteger: Reviver = (_key, value, context) =>
  typeof value === 'number' &&
  !Number.isSafeInteger(value) &&
  context?.source !== undefined &&
  /^-?\d+$/.test(context.source)
    ? BigInt(context.source)
    : value;

/** A value as JSON text that people read. */
export function jsonText(value: Json, indent = ''): string {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => jsonText(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}

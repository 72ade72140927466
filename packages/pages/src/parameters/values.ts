import type { Parameter, ReadersKey, ValueSchema } from '../endpoint.ts';
import { canonicalMoment } from './moments.ts';

/** The texts of each parameter. A parameter without a value is not in it. */
export type ParameterValues = ReadonlyMap<string, readonly string[]>;

/**
 * The values in an address, for the gateway; empty ones count as absent. A name that is not declared is kept, and a list may be
 * spelled as in REST, `a[]=1`: the gateway refuses what it cannot take, or warns of it. Without it, the rows would be those of
 * another request.
 */
export function valuesInAddress(
  search: string,
  parameters: readonly Pick<Parameter, 'name' | 'schema'>[],
): ParameterValues {
  const values = new Map<string, string[]>();
  for (const [written, value] of new URLSearchParams(search)) {
    const list = parameters.find(
      ({ name, schema }) => schema.type === 'array' && name === written.replace(/\[\d*\]$/, ''),
    );
    const name = list?.name ?? written;
    const isOwn = parameters.some((one) => one.name === name);
    if (value !== '' && (isOwn || !otherForms.includes(name)))
      values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** They would change the form of the rows, or the rows to those of other columns. */
const otherForms = ['format', 'select', 'sql'];

/** The query string of values, with its `?`; '' without values. */
export function searchOf(values: ParameterValues): string {
  const pairs = [...values].flatMap(([name, texts]) => texts.map((value) => [name, value]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Values to start with: where one is required, the example of the author. The key's own tenant is filled in by its field. */
export const exampleValues = (parameters: readonly Parameter[], { tenants }: ReadersKey): ParameterValues =>
  new Map(
    parameters.flatMap(({ name, required, example, isTenant }) =>
      required && example.length > 0 && !(isTenant && tenants !== undefined)
        ? [[name, example] as const]
        : [],
    ),
  );

/** True if every required parameter has a value. */
export const isComplete = (values: ParameterValues, parameters: readonly Parameter[]): boolean =>
  parameters.every(({ name, required }) => !required || values.has(name));

/** A value as the gateway binds it: of several spellings always the same one. Refused values are not changed. */
export function canonicalText(text: string, schema: ValueSchema): string {
  const { type, format, enum: choices } = schema;
  if (choices !== undefined) {
    const place = schema['x-enum-aliases']?.findIndex((aliases) => aliases.includes(text)) ?? -1;
    return choices[place] ?? text;
  }
  if (type === 'integer' && /^[+-]?\d+$/.test(text)) return String(BigInt(text.replace('+', '')));
  if (type === 'number' && Number.isFinite(Number(text))) return String(Number(text));
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase();
  return format?.startsWith('date-time') === true ? canonicalMoment(text, format === 'date-time') : text;
}

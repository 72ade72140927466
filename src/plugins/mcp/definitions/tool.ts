import type { PublicName } from '../../../catalog/model/versions.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { JsonObject } from '../../../catalog/binding/parameter-schema.ts';
import { type Detail, details } from './detail.ts';
import { inputSchema } from './input-schema.ts';
import { rowSchemas } from './row-schemas.ts';
import { outputSchema } from './output-schema.ts';

/** A tool as `tools/list` has it. */
export interface Tool extends JsonObject {
  readonly name: string;
}

/** No tool changes anything, and none reaches beyond the gateway. */
export const readOnly = { readOnlyHint: true, openWorldHint: false };

/** Characters of JSON that the tool of a query should have at most: fewer than 250 tokens. */
export const maxToolLength = 1_050;

/**
 * The tool of a saved query. It says as much as has room; what is left out is in the query's resource.
 *
 * @param name of the tool
 * @param tenants that the key is bound to; undefined: none
 */
export function toolOf(
  name: string,
  { name: title, query }: Pick<PublicName, 'name' | 'query'>,
  tenants: ReadonlySet<string> | undefined,
): Tool {
  const tool = (detail: Detail): Tool => ({
    name,
    title: titleOf(title),
    description: withLimits(query.description, query),
    inputSchema: inputSchema(query, tenants, detail, rowSchemas(query, detail)),
    outputSchema: outputSchema(query, detail),
    annotations: readOnly,
  });
  let made = tool(details[0]);
  for (const detail of details.slice(1)) {
    if (JSON.stringify(made).length <= maxToolLength) break;
    made = tool(detail);
  }
  return made;
}

/** `errors.by-day` as `Errors by day`. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[._-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Model APIs take no longer description. */
const maxDescription = 1_024;

/** A description with the limits of the query, as much of it as has room. */
export function withLimits(text: string, query: SavedQuery): string {
  const limits = limitsOf(query);
  const most = maxDescription - limits.length - 1;
  return `${text.length <= most ? text : `${text.slice(0, most - 1)}…`} ${limits}`;
}

/** How old rows may be, and how many there are at most. */
export function limitsOf({ caching, maxRows }: SavedQuery): string {
  const age = caching === 'disabled' ? 'Current' : `Up to ${durationText(caching.ttlSeconds)} old`;
  return `${age}, ${maxRows} rows at most.`;
}

function durationText(seconds: number): string {
  const [unit, length] = units.find(([, length]) => seconds >= length && seconds % length === 0) ?? ['s', 1];
  return `${seconds / length} ${unit}`;
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

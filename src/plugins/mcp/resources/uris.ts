import type { JsonMembers } from '../protocol/message.ts';

/** The meaning of a resource's URI. */
export type ResourceAddress =
  | { readonly kind: 'catalog' }
  | { readonly kind: 'query'; readonly name: string }
  /** @property table undefined for all of them */
  | { readonly kind: 'schema'; readonly name: string; readonly table: string | undefined }
  /** @property from the number of the first row, from 0 */
  | { readonly kind: 'result'; readonly name: string; readonly given: JsonMembers; readonly from: number };

export const catalogUri = 'querygate://catalog';
export const queryUri = (name: string) => `querygate://query/${name}`;
export const schemaUri = (name: string) => `querygate://schema/${name}`;

/** For resources that are not listed one by one. @see RFC 7111 for the rows of a result, which count from 1 */
export const uriTemplates = [
  {
    uriTemplate: 'querygate://query/{name}',
    name: 'query',
    description: 'All that is known of a saved query: its parameters and columns',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'querygate://schema/{name}/{table}',
    name: 'schema',
    description: 'The columns of a table that SQL over a saved query may read',
    mimeType: 'text/csv',
  },
  {
    uriTemplate: 'querygate://result/{name}{?parameters*}',
    name: 'result',
    description: 'The rows of a saved query, in parts; #row=101- begins with the 101st',
    mimeType: 'text/plain',
  },
];

/** @returns undefined if it means nothing */
export function parseUri(text: string): ResourceAddress | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'querygate:') return undefined;
  const [, name = '', table, ...more] = url.pathname.split('/').map(decoded);
  const isPlain = url.search === '' && url.hash === '';
  if (more.length > 0) return undefined;
  if (url.hostname === 'catalog') return isPlain && name === '' ? { kind: 'catalog' } : undefined;
  if (name === '' || (table !== undefined && url.hostname !== 'schema')) return undefined;
  if (url.hostname === 'query') return isPlain ? { kind: 'query', name } : undefined;
  if (url.hostname === 'schema') return isPlain ? { kind: 'schema', name, table } : undefined;
  const row = /^(?:|#row=([1-9]\d{0,8})-?)$/.exec(url.hash);
  if (url.hostname !== 'result' || row === null) return undefined;
  return { kind: 'result', name, given: argumentsOf(url.searchParams), from: Number(row[1] ?? 1) - 1 };
}

/** A name that occurs several times is a list. */
function argumentsOf(parameters: URLSearchParams): JsonMembers {
  const byName = Map.groupBy(parameters, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

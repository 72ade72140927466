import { elementsOf, partsOf } from '../../message/list-header.ts';

/**
 * How the parts of an answer are written: as graphql-js 17 does, or as clients did before the GraphQL specification had
 * `pending` and `completed`.
 *
 * @see https://specs.apollo.dev/incremental/v0.2 and https://specs.apollo.dev/incremental/v0.1
 */
export type IncrementalFormat = 'incrementalspec=v0.2' | 'deferspec=20220824';

const formats: readonly string[] = [
  'incrementalspec=v0.2',
  'deferspec=20220824',
] satisfies IncrementalFormat[];

/**
 * The format of the first `multipart/mixed` in `Accept`; without a parameter it is the newer one. Preferred or not: no
 * other media type has parts.
 *
 * @returns undefined if the caller must get the whole answer at once
 */
export function acceptedFormat(accept = ''): IncrementalFormat | undefined {
  for (const element of elementsOf(accept)) {
    const [type, ...parameters] = partsOf(element);
    if (type !== 'multipart/mixed' || parameters.some((one) => /^q=0(\.0*)?$/.test(one))) continue;
    const spec = parameters.find((one) => /^\w+spec=/.test(one)) ?? 'incrementalspec=v0.2';
    if (formats.includes(spec)) return spec as IncrementalFormat;
  }
  return undefined;
}

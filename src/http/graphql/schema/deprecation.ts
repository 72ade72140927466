import { lookUpName } from '../../../catalog/model/find-query.ts';
import type { Catalog, Deprecation, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { mainNames } from '../../../catalog/model/versions.ts';

/** Why a query should not be used any more, as `@deprecated` says it; undefined if it may be. */
export function deprecationReason({
  queries,
  all = queries,
}: Catalog): (query: SavedQuery) => string | undefined {
  const names = mainNames({ queries: all });
  const fieldOf = (name: string) => {
    const query = lookUpName({ queries: all }, name);
    return query && names.get(query)?.field;
  };
  return ({ deprecated }) => deprecated && reasonText(deprecated, fieldOf);
}

function reasonText(
  { since, sunset, reason, successor }: Deprecation,
  fieldOf: (name: string) => string | undefined,
): string {
  const field = successor === undefined ? undefined : fieldOf(successor);
  return [
    `Since ${since}${sunset === undefined ? '' : `, until ${sunset}`}.`,
    reason && withFullStop(reason),
    field && `Use ${field}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

const withFullStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

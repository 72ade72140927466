import { lookUpName } from '../../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { mainNames } from '../../../catalog/model/versions.ts';

/** Why a query should not be used any more, as `@deprecated` says it; undefined if it may be. */
export function deprecationReason({ queries, all = queries }: Catalog) {
  const names = mainNames({ queries: all });
  return ({ deprecated }: SavedQuery): string | undefined => {
    if (deprecated === undefined) return undefined;
    const { since, sunset, reason, successor } = deprecated;
    const other = successor === undefined ? undefined : lookUpName({ queries: all }, successor);
    const field = other && names.get(other)?.field;
    return [
      `Since ${since}${sunset === undefined ? '' : `, until ${sunset}`}.`,
      reason && (/[.!?]$/.test(reason) ? reason : `${reason}.`),
      field && `Use ${field}.`,
    ]
      .filter(Boolean)
      .join(' ');
  };
}

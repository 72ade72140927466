import { mayQuery } from '../../call/gate.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import type { Principal } from '../../keys/principal.ts';
import { once } from '../../memoize.ts';
import { connectionFieldOf, sqlFieldOf } from '../../names/graphql-names.ts';

/** The endpoint that an error of a root field is about, if the key may not query it. */
export type FindHidden = (error: Error, principal: Principal) => SavedQuery | undefined;

export function buildFindHidden(catalog: Catalog): FindHidden {
  const queries = once(() => {
    const names = publicNames(catalog);
    const fieldsOf = [sqlFieldOf, connectionFieldOf, (field: string) => field];
    return new Map(fieldsOf.flatMap((of) => names.map(({ field, query }) => [of(field), query] as const)));
  });
  return ({ message }, principal) => {
    const [, unknown, ofArgument = ''] = rootField.exec(message) ?? [];
    const query = queries().get(unknown ?? ofArgument);
    return query === undefined || mayQuery(principal, query) ? undefined : query;
  };
}

/** An unknown one, or that of an argument with a wrong variable. */
const rootField = /^(?:Cannot query field "(\w+)" on type|Argument) "(?:Query|Subscription)\W(\w+)?/;

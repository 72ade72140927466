import type { GraphQLError } from 'graphql';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import { connectionFieldOf, sqlFieldOf } from '../../names/graphql-names.ts';

/** The endpoint that an error is about, if its field is unknown because a part of a catalog hides it. */
export type FindHidden = (error: Pick<GraphQLError, 'message'>) => SavedQuery | undefined;

export function buildFindHidden(catalog: Catalog, part: Catalog): FindHidden {
  if (part === catalog) return () => undefined;
  const visible = new Set(part.queries);
  const hidden = new Map(
    publicNames(catalog)
      .filter(({ query }) => !visible.has(query))
      .flatMap(({ field, query }) =>
        [field, sqlFieldOf(field), connectionFieldOf(field)].map((one) => [one, query] as const),
      ),
  );
  return ({ message }) => hidden.get(unknownRootField.exec(message)?.[1] ?? '');
}

const unknownRootField = /^Cannot query field "(\w+)" on type "(?:Query|Subscription)"/;

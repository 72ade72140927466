import type { GraphQLError } from 'graphql';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import { sqlFieldOf } from '../../names/graphql-names.ts';

/** The endpoints among the unknown fields of a document that a part of a catalog hides. */
export type FindHidden = (errors: readonly Pick<GraphQLError, 'message'>[]) => readonly string[];

export function buildFindHidden(catalog: Catalog, part: Catalog): FindHidden {
  if (part === catalog) return () => [];
  const visible = new Set(part.queries);
  const hidden = new Map(
    publicNames(catalog)
      .filter(({ query }) => !visible.has(query))
      .flatMap(({ field, query: { name } }) => [field, sqlFieldOf(field)].map((one) => [one, name] as const)),
  );
  return (errors) =>
    errors.flatMap(({ message }) => hidden.get(unknownRootField.exec(message)?.[1] ?? '') ?? []);
}

const unknownRootField = /^Cannot query field "(\w+)" on type "(?:Query|Subscription)"/;

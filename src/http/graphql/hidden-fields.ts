import type { Catalog } from '../../catalog/model/saved-query.ts';
import { publicNames } from '../../catalog/model/versions.ts';
import { sqlFieldOf } from '../../names/graphql-names.ts';
import type { CheckDocument } from './document/check-document.ts';
import { type FindDocument, parseOperation } from './read-operation.ts';

/**
 * The endpoints that a request names although its key's schema does not have them. The caller gets the error of an unknown
 * field; the operator is to see a refusal.
 */
export type FindHidden = (
  url: URL,
  body: Uint8Array | undefined,
  findDocument: FindDocument,
) => readonly string[];

export function buildFindHidden(catalog: Catalog, part: Catalog, checkDocument: CheckDocument): FindHidden {
  if (part === catalog) return () => [];
  const visible = new Set(part.queries);
  const hidden = new Map(
    publicNames(catalog)
      .filter(({ query }) => !visible.has(query))
      .flatMap(({ field, query: { name } }) => [field, sqlFieldOf(field)].map((one) => [one, name] as const)),
  );
  return (url, body, findDocument) => {
    if (hidden.size === 0) return [];
    try {
      const { query } = parseOperation(url, body, findDocument);
      const { errors } = checkDocument(String(query));
      return errors.flatMap(({ message }) => hidden.get(unknownRootField.exec(message)?.[1] ?? '') ?? []);
    } catch {
      // A request that cannot be parsed names nothing.
      return [];
    }
  };
}

const unknownRootField = /^Cannot query field "(\w+)" on type "(?:Query|Subscription)"/;

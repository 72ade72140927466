import { camelCase } from '../../../names/graphql-names.ts';
import type { Federation, ParameterKeyField } from '../../model/entity-keys.ts';
import type { Header } from '../header-schema.ts';

type FederationHeader = NonNullable<Header['federation']>;

/** @param queryName gives the field its name if the header does not */
export function toFederation({ federation }: Header, queryName: string): Federation | undefined {
  if (federation === undefined) return undefined;
  const { extends: entity, field = camelCase(queryName), references, ...given } = federation;
  const { shareable, inaccessible, override } = given;
  return {
    extension: entity === undefined ? undefined : { entity, field, keys: keysOf(federation) },
    references: Object.entries(references).map(([field, { entity, key }]) => ({
      field,
      entity,
      key: Object.entries(key).map(([name, from]) =>
        typeof from === 'string' ? { name, type: 'ID', column: from } : { name, ...from },
      ),
    })),
    directives: { shareable, inaccessible, override },
  };
}

/** The keys of the entity that a query extends. */
export const keysOf = ({ key = [] }: FederationHeader): readonly (readonly ParameterKeyField[])[] =>
  [key]
    .flat()
    .map((fields) =>
      Object.entries(fields).map(([name, from]) =>
        typeof from === 'string'
          ? { name, type: 'ID', parameter: from, column: undefined }
          : { name, type: from.type, parameter: from.parameter, column: from.column },
      ),
    );

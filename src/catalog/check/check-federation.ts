import type { Problem } from '../../errors.ts';
import { reservedTypes } from '../../names/graphql-names.ts';
import { type Entity, entitiesOf, keyFieldsOf, keyText } from '../model/entities.ts';
import type { SavedQuery } from '../model/saved-query.ts';

/**
 * Conflicts about entities: saved queries that extend or refer to the same one must agree about its keys, and its fields
 * must have different names.
 *
 * @param typesOf the GraphQL types of a query
 */
export function checkFederation(
  queries: readonly SavedQuery[],
  typesOf: (query: SavedQuery) => readonly string[],
): readonly Problem[] {
  const entities = entitiesOf({ queries, tables: [] });
  if (entities.length === 0) return [];
  const types = new Map(
    queries.flatMap((query) => typesOf(query).map((type) => [type, query.source.file] as const)),
  );
  return entities.flatMap((entity) => [
    ...checkName(entity, queries, types),
    ...checkFields(entity),
    ...checkKeys(entity, queries),
  ]);
}

const refersTo = ({ federation }: SavedQuery, name: string): boolean =>
  federation?.extension?.entity === name ||
  federation?.references.some(({ entity }) => entity === name) === true;

const at = ({ source: { file } }: SavedQuery, message: string): Problem => ({
  file,
  line: 1,
  message: `federation: ${message}`,
});

function checkName(
  { name }: Entity,
  queries: readonly SavedQuery[],
  types: ReadonlyMap<string, string>,
): readonly Problem[] {
  const taken = reservedTypes.has(name) ? 'the schema' : types.get(name);
  const user = queries.find((query) => refersTo(query, name));
  if (taken === undefined || user === undefined) return [];
  return [at(user, `${name} is another type, of ${taken}; an entity needs a name of its own`)];
}

function checkFields(entity: Entity): readonly Problem[] {
  const keys = new Set(keyFieldsOf(entity).map(({ name }) => name));
  return entity.fields.flatMap(({ field, query }, index) => {
    if (keys.has(field)) return [at(query, `${entity.name}.${field} is a field of its key; set field`)];
    const first = entity.fields.find((other) => other.field === field);
    if (first === undefined || first === entity.fields[index]) return [];
    return [
      at(query, `${entity.name}.${field} is already the field of ${first.query.source.file}; set field`),
    ];
  });
}

function checkKeys({ name, keys }: Entity, queries: readonly SavedQuery[]): readonly Problem[] {
  const expected = keys.map(keyText).sort();
  return queries.flatMap((query) => {
    const { extension, references = [] } = query.federation ?? {};
    const wrongExtension =
      extension?.entity === name && extension.keys.map(keyText).sort().join('; ') !== expected.join('; ');
    const wrongReference = references.some(
      ({ entity, key }) => entity === name && !expected.includes(keyText(key)),
    );
    return wrongExtension || wrongReference
      ? [at(query, `${name} has another key in another file: ${expected.join('; ')}; all must have the same`)]
      : [];
  });
}

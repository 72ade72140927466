import { memoize } from '../../memoize.ts';
import type { EntityExtension, KeyField } from './entity-keys.ts';
import type { Catalog, SavedQuery } from './saved-query.ts';

/** A saved query that is a field of an entity. */
export interface EntityField extends EntityExtension {
  readonly query: SavedQuery;
}

/** An object that several subgraphs have fields of, identified by one of its keys. */
export interface Entity {
  readonly name: string;
  readonly keys: readonly (readonly KeyField[])[];
  /** None if rows only refer to it: then only other subgraphs can give more than its key. */
  readonly fields: readonly EntityField[];
}

/** The entities that saved queries extend, and those that their rows refer to, in the order of the queries. */
export const entitiesOf = memoize(({ queries }: Catalog): readonly Entity[] => {
  const entities = new Map<string, Entity>();
  for (const query of queries) {
    const { extension } = query.federation ?? {};
    if (extension === undefined) continue;
    const { entity: name, keys } = extension;
    const fields = [...(entities.get(name)?.fields ?? []), { ...extension, query }];
    entities.set(name, { name, keys, fields });
  }
  for (const { entity, key } of queries.flatMap(({ federation }) => federation?.references ?? [])) {
    if (!entities.has(entity)) entities.set(entity, { name: entity, keys: [key], fields: [] });
  }
  return [...entities.values()];
});

/** The fields of all keys of an entity. */
export const keyFieldsOf = memoize(({ keys }: Entity): readonly KeyField[] => [
  ...new Map(keys.flat().map((field) => [field.name, field])).values(),
]);

/** A text that is equal for equal keys. */
export const keyText = (key: readonly KeyField[]): string =>
  key
    .map(({ name, type }) => `${name}: ${type}`)
    .sort()
    .join(', ');

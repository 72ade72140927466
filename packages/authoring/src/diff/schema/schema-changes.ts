import { type CriticalityLevel, diff, DiffRule, type Change as SchemaChange } from '@graphql-inspector/core';
import { buildASTSchema, type GraphQLSchema, parse, printSchema } from 'graphql';
import { buildSchema } from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import type { Pair } from '../change.ts';
import type { Level } from '../levels.ts';
import { openOwners } from './schema-owners.ts';

/** A difference of the GraphQL schemas, as GraphQL Inspector judges it. */
export interface FoundInSchema {
  readonly type: string;
  /** In the schema, as in `LogsAllRow.timestamp`. */
  readonly path: string;
  readonly level: Level;
  readonly message: string;
  /** The key of the header that it comes from; empty for the endpoint as a whole. */
  readonly header: readonly string[];
}

/**
 * Compares the printed GraphQL schemas of endpoints that have changed. The types of the others are the same in both.
 *
 * The older version has today's names: a renamed endpoint has other names for everything, which is one change.
 */
export async function compareSchemas(
  pairs: readonly Pair[],
): Promise<ReadonlyMap<Pair, readonly FoundInSchema[]>> {
  const schemas = schemasOf(pairs);
  if (schemas === undefined) {
    // A former type may have the name that a renamed endpoint's type has now: by themselves, the others can be compared.
    if (pairs.length < 2) return new Map();
    const each = await Promise.all(pairs.map((pair) => compareSchemas([pair])));
    return new Map(each.flatMap((found) => [...found]));
  }
  const changes = await diff(schemas.before, schemas.after, [DiffRule.ignoreDescriptionChanges]);
  const found = new Map<Pair, FoundInSchema[]>(pairs.map((pair) => [pair, []]));
  const ownersOf = openOwners(pairs, onlyName);
  for (const one of withoutParts(changes))
    for (const { pair, header } of ownersOf(one.path ?? '')) found.get(pair)?.push(toFound(one, header));
  return found;
}

/** Without the members of types, and the arguments of fields, that are new or removed as a whole. */
function withoutParts(changes: readonly SchemaChange[]): readonly SchemaChange[] {
  const whole = new Set(
    changes.filter(({ type }) => /^(?:TYPE|FIELD)_(?:ADDED|REMOVED)$/.test(type)).map(({ path }) => path),
  );
  return changes.filter(({ path = '' }) => {
    const parts = path.split('.');
    return !parts.slice(1).some((_, at) => whole.has(parts.slice(0, at + 1).join('.')));
  });
}

function schemasOf(
  pairs: readonly Pair[],
): { readonly before: GraphQLSchema; readonly after: GraphQLSchema } | undefined {
  const after = printedSchema(pairs.map((pair) => asOnlyVersion(pair.after)));
  try {
    const renamed = pairs.map(({ before, after }) => ({ ...before, id: after.id, name: after.name }));
    return { before: printedSchema(renamed.map(asOnlyVersion)), after };
  } catch {
    return undefined;
  }
}

/** Each version is compared by itself: which one a name means, and which is deprecated, the header says. */
const asOnlyVersion = (query: SavedQuery): SavedQuery => ({
  ...query,
  name: onlyName(query),
  isDefault: undefined,
  deprecated: undefined,
  shadow: undefined,
});

/** `orders@2` has the types of `orders.v2`, a name that no other query may have. */
const onlyName = ({ name }: SavedQuery): string => name.replace('@', '.v');

const printedSchema = (queries: readonly SavedQuery[]) =>
  buildASTSchema(parse(printSchema(buildSchema({ queries, tables: [] }))));

const levelOf: Readonly<Record<`${CriticalityLevel}`, Level>> = {
  BREAKING: 'breaking',
  DANGEROUS: 'dangerous',
  NON_BREAKING: 'safe',
};

const toFound = (
  { type, path, message, criticality }: SchemaChange,
  header: readonly string[],
): FoundInSchema => ({
  type,
  path: path ?? '',
  level: levelOf[criticality.level],
  message,
  header,
});

import { type CriticalityLevel, diff, DiffRule, type Change as SchemaChange } from '@graphql-inspector/core';
import { buildASTSchema, type GraphQLSchema, parse, printSchema } from 'graphql';
import { buildSchema, camelCase, graphqlNames, pascalCase, sqlFieldOf } from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import type { EnumParameter } from '../catalog-types.ts';
import type { Pair } from './change.ts';
import type { Level } from './levels.ts';

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
  const ownersOf = openOwners(pairs);
  // Types that all endpoints share, and that come and go with the first one that needs them, have no owner.
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

interface Owner {
  readonly pair: Pair;
  readonly header: readonly string[];
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

/** Finds the endpoints that a path of the schema belongs to, and the place in their headers. */
function openOwners(pairs: readonly Pair[]): (path: string) => readonly Owner[] {
  const ofField = new Map<string, Pair>();
  const ofSqlField = new Map<string, Pair>();
  const ofRow = new Map<string, Pair>();
  const ofResult = new Map<string, Pair>();
  const ofEnum = new Map<string, Owner[]>();
  for (const pair of pairs) {
    const name = onlyName(pair.after);
    ofField.set(camelCase(name), pair);
    ofSqlField.set(sqlFieldOf(camelCase(name)), pair);
    ofRow.set(`${pascalCase(name)}Row`, pair);
    ofResult.set(`${pascalCase(name)}Result`, pair);
    // Where a parameter has got another enum, this is what has changed, whatever became of the former one.
    for (const { name, enum: type } of enumsOf(pair.after))
      if (enumsOf(pair.before).some((old) => old.name === name && old.enum === type))
        ofEnum.set(type, [...(ofEnum.get(type) ?? []), { pair, header: ['parameters', name] }]);
  }
  return (path) => {
    const [type = '', member, argument] = path.split('.');
    const enums = ofEnum.get(type);
    if (enums !== undefined) return enums.map((owner) => atValue(owner, member));
    const ofSql = type === 'Query' ? ofSqlField.get(member ?? '') : undefined;
    if (ofSql !== undefined)
      return argument === undefined ? [{ pair: ofSql, header: ['query_sandboxing'] }] : [];
    const [row = '', ...records] = type.split('_');
    const ofRecord = records.length > 0 ? ofRow.get(row) : undefined;
    // The type of a record comes and goes with the field that has it, which is a change of its own.
    if (ofRecord !== undefined)
      return member === undefined
        ? []
        : [{ pair: ofRecord, header: fieldHeader(ofRecord, [...records, member]) }];
    const pair = type === 'Query' ? ofField.get(member ?? '') : (ofRow.get(type) ?? ofResult.get(type));
    if (pair === undefined) return [];
    if (type === 'Query')
      return [{ pair, header: argument === undefined ? [] : headerOf(pair, 'parameters', argument) }];
    return [
      { pair, header: member === undefined || !ofRow.has(type) ? [] : headerOf(pair, 'columns', member) },
    ];
  };
}

const enumsOf = ({ parameters }: SavedQuery): readonly EnumParameter[] =>
  parameters.filter((parameter) => parameter.type === 'enum');

function headerOf(
  { before, after }: Pair,
  section: 'parameters' | 'columns',
  field: string,
): readonly string[] {
  const found = [...after[section], ...before[section]].find(({ name }) => camelCase(name) === field);
  return found === undefined ? [] : [section, found.name];
}

/** The key of a field of a record: its type is named after the row, and the fields that lead to it. */
function fieldHeader({ before, after }: Pair, names: readonly (string | undefined)[]): readonly string[] {
  const [old, now] = [before, after].map(({ columns }) => keysTo(columns, names)) as [string[], string[]];
  return now.length > old.length ? now : old;
}

/** As far as there are such fields. */
function keysTo(columns: readonly Part[], names: readonly (string | undefined)[]): string[] {
  const keys: string[] = [];
  let parts: readonly Part[] | undefined = columns;
  for (const name of names) {
    const own: readonly string[] = graphqlNames(parts ?? []);
    const found: Part | undefined = parts?.find((_, at) => own[at] === name);
    if (found === undefined) break;
    keys.push(keys.length === 0 ? 'columns' : 'fields', found.name);
    parts = found.fields;
  }
  return keys;
}

interface Part {
  readonly name: string;
  readonly fields?: readonly Part[] | undefined;
}

function atValue({ pair, header }: Owner, name: string | undefined): Owner {
  if (name === undefined) return { pair, header };
  const values = [pair.before, pair.after]
    .flatMap(({ parameters }) => parameters)
    .flatMap((parameter) =>
      parameter.type === 'enum' && parameter.name === header[1] ? parameter.values : [],
    );
  const found = values.find((value) => value.name === name);
  return { pair, header: found === undefined ? header : [...header, 'values', found.value] };
}

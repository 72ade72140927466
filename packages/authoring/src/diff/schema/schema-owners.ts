import {
  camelCase,
  connectionFieldOf,
  followSeconds,
  graphqlNames,
  isSummable,
  pascalCase,
  sqlFieldOf,
} from 'querygate/catalog';
import type { Column, SavedQuery } from 'querygate';
import type { EnumParameter } from '../../catalog-types.ts';
import type { Pair } from '../change.ts';

/** An endpoint that a path of the schema belongs to, and the key of its header. */
export interface Owner {
  readonly pair: Pair;
  readonly header: readonly string[];
}

/** Finds the key of the header for what follows the name of a type or of a root field. */
type HeaderOf = (
  pair: Pair,
  member: string | undefined,
  argument: string | undefined,
) => readonly string[] | undefined;

/**
 * Finds the endpoints that a path of the schema belongs to, and the place in their headers. Types that all endpoints share,
 * and that come and go with the first one that needs them, have no owner.
 *
 * @param nameOf the name that a query has in the schemas
 */
export function openOwners(
  pairs: readonly Pair[],
  nameOf: (query: SavedQuery) => string,
): (path: string) => readonly Owner[] {
  const ofPlace = new Map<string, { readonly pair: Pair; readonly headerOf: HeaderOf }>();
  const ofEnum = new Map<string, Owner[]>();
  for (const pair of pairs) {
    const [field, type] = [camelCase(nameOf(pair.after)), pascalCase(nameOf(pair.after))];
    for (const [place, key] of rootFields(field))
      ofPlace.set(place, {
        pair,
        headerOf: (_pair, _field, argument) => (argument === undefined ? key : ofArgument(pair, argument)),
      });
    for (const [suffix, headerOf] of Object.entries(typeSuffixes(pair)))
      ofPlace.set(`${type}${suffix}`, { pair, headerOf });
    // The type of a record comes and goes with the field that has it, which is a change of its own.
    for (const [record, headers] of recordsOf(pair, `${type}Row`))
      ofPlace.set(record, { pair, headerOf: (_pair, field) => headers.get(field ?? '') });
    // Where a parameter has got another enum, this is what has changed, whatever became of the former one.
    for (const { name, enum: type } of enumsOf(pair.after))
      if (enumsOf(pair.before).some((old) => old.name === name && old.enum === type))
        ofEnum.set(type, [...(ofEnum.get(type) ?? []), { pair, header: ['parameters', name] }]);
  }
  return (path) => {
    // The root type comes with the first endpoint that can be followed, and goes with the last one.
    if (path === 'Subscription')
      return pairs.filter(isFollowChanged).map((pair) => ({ pair, header: ['live'] }));
    const [type = '', member, argument] = path.split('.');
    const enums = ofEnum.get(type);
    if (enums !== undefined) return enums.map((owner) => atValue(owner, member));
    const found = ofPlace.get(type) ?? ofPlace.get(`${type}.${member}`);
    const header = found?.headerOf(found.pair, member, argument);
    return found === undefined || header === undefined ? [] : [{ pair: found.pair, header }];
  };
}

const isFollowChanged = ({ before, after }: Pair): boolean =>
  (followSeconds(before.caching) === undefined) !== (followSeconds(after.caching) === undefined);

/** The root fields of an endpoint, each with the key of the header that it comes from. */
const rootFields = (field: string): readonly (readonly [place: string, key: readonly string[]])[] => [
  [`Query.${field}`, []],
  [`Query.${sqlFieldOf(field)}`, ['query_sandboxing']],
  [`Query.${connectionFieldOf(field)}`, ['page']],
  [`Subscription.${field}`, ['live']],
];

/** Without a member, the first of the columns that have the use: the type comes and goes with them. */
const ofUse =
  (key: 'filter' | 'order' | 'aggregates', isOfUse: (column: Column) => boolean = () => true): HeaderOf =>
  ({ before, after }, member) => {
    const all = [before.rowArguments, after.rowArguments];
    if (all.includes(undefined)) return ['row_arguments'];
    const found = all.flatMap((one) => {
      const { filter = [], order = [] } = one ?? {};
      const columns = { filter, order, aggregates: [...new Set([...filter, ...order])] }[key];
      return columns.filter(
        (column) => isOfUse(column) && (member ?? camelCase(column.name)) === camelCase(column.name),
      );
    });
    const [{ name } = { name: '' }] = found;
    // An aggregate that is in both has another type because its column has.
    const isKept = key === 'aggregates' && member !== undefined && found.length > 1;
    return ['columns', name, isKept ? 'type' : key];
  };

const ofFilters = ofUse('filter');
const ofOrder = ofUse('order');
const ofAggregates = ofUse('aggregates');
const ofSums = ofUse('aggregates', isSummable);

const ofResult: HeaderOf = (pair, member, argument) => {
  if (argument === 'where') return ofFilters(pair, undefined, undefined);
  if (argument === 'orderBy') return ofOrder(pair, undefined, undefined);
  return member === 'rows' || member === 'aggregates' ? ['row_arguments'] : [];
};

/** The types that an endpoint has before or after, by the end of their names: enums may have the others. */
const typeSuffixes = ({ before, after }: Pair): Readonly<Record<string, HeaderOf>> => ({
  Result: ofResult,
  ...((before.rowArguments ?? after.rowArguments) && typesOfRowArguments),
  ...((before.pages ?? after.pages) && { Connection: () => ['page'], Edge: () => ['page'] }),
});

const typesOfRowArguments: Readonly<Record<string, HeaderOf>> = {
  Where: ofFilters,
  OrderBy: ofOrder,
  Aggregates: (pair, member) =>
    member === 'sum' || member === 'avg' ? ofSums(pair, undefined, undefined) : ['row_arguments'],
  Sums: ofSums,
  Averages: ofSums,
  Minimums: ofAggregates,
  Maximums: ofAggregates,
};

const enumsOf = ({ parameters }: SavedQuery): readonly EnumParameter[] =>
  parameters.filter((parameter) => parameter.type === 'enum');

function ofArgument({ before, after }: Pair, argument: string): readonly string[] {
  const found = [...after.parameters, ...before.parameters].find(({ name }) => camelCase(name) === argument);
  return found === undefined ? [] : ['parameters', found.name];
}

/** The keys of the fields of records: their types are named after the row, and the fields that lead to them. */
function recordsOf(
  { before, after }: Pair,
  rowType: string,
): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const records = new Map<string, Map<string, readonly string[]>>();
  const addParts = (parts: readonly Part[], type: string, header: readonly string[], key: string) => {
    const names = graphqlNames(parts);
    for (const [at, { name, fields }] of parts.entries()) {
      const path = [...header, key, name];
      const own = names[at] ?? '';
      const headers = records.get(type) ?? new Map<string, readonly string[]>();
      records.set(type, headers.set(own, headers.get(own) ?? path));
      if (fields !== undefined) addParts(fields, `${type}_${own}`, path, 'fields');
    }
  };
  for (const { columns } of [before, after]) addParts(columns, rowType, [], 'columns');
  return records;
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

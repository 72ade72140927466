import { splitObject, splitObjects } from '@querygate/text';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { comparable, pushedAggregates, pushedRange, pushedRows } from '../../catalog/model/pushed-forms.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import { rowTexts } from '../../engine-contract/rows-document.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { averageOf, largeFloat, sumOf } from '../aggregate-rows.ts';
import { valueKind } from '../cell-values.ts';
import { conditionSql } from './pushed-condition.ts';
import type { Aggregate, Condition, RowArguments } from '../row-arguments.ts';

/** True if arguments become part of the SQL, because the result does not have all rows. */
export const isPushed = ({ rowArguments }: SavedQuery, { metadata }: ResultDocument): boolean =>
  rowArguments?.push !== undefined && metadata.truncated;

/** The query of the rows that arguments keep of all rows. @param bound the query as it is */
export function bindRows(bound: BoundQuery, { where, orderBy, offset, first }: RowArguments): BoundQuery {
  const { query } = bound;
  const { values, ...condition } = conditionSql(query.columns, where);
  return {
    ...bound,
    query: pushedRows(query, { ...condition, orderBy }),
    parameters: { ...bound.parameters, ...values, ...pushedRange(query, offset, first) },
  };
}

/** A query of aggregates over all rows that a condition keeps. */
export interface BoundAggregates {
  readonly bound: BoundQuery;
  /** The aggregates as JSON texts, in their order; undefined for NULL. @param document what the query returns */
  readonly read: (document: ResultDocument) => readonly (string | undefined)[];
}

/** @param bound the query as it is */
export function bindAggregates(
  bound: BoundQuery,
  where: Condition | undefined,
  aggregates: readonly Aggregate[],
): BoundAggregates {
  const { query } = bound;
  const { values, ...condition } = conditionSql(query.columns, where);
  const typeOf = (name: string) => query.columns.find((column) => column.name === name)?.type ?? 'string';
  const parts = new Map<string, { readonly column: Column; readonly sql: string }>();
  const part = ({ function: name, column }: PartOf): string => {
    const key = `${name}_${column ?? ''}`;
    parts.set(key, partOf(key, name, column, column === undefined ? 'integer' : typeOf(column)));
    return key;
  };
  const reads = aggregates.map(({ function: name, column }): ReadValue => {
    const type = column === undefined ? 'integer' : typeOf(column);
    if (name !== 'sum' && name !== 'avg') {
      const key = part({ function: name, column });
      return (texts) => partText(name, type, texts.get(key));
    }
    const ofSum = sumPartsOf(type).map((one) => part({ function: one, column }));
    const count = name === 'avg' ? part({ function: 'count', column }) : '';
    const fine = name === 'avg' && type === 'numeric' ? part({ function: 'fine', column }) : '';
    return (texts) => {
      const sum = totalOf(
        type,
        ofSum.map((one) => texts.get(one)),
      );
      if (sum === undefined) return undefined;
      if (name === 'sum') return sumOf(type, sum);
      return averageOf(type, sum, Number(texts.get(count)), Number(texts.get(fine)) > 0);
    };
  });
  return {
    bound: {
      ...bound,
      query: pushedAggregates(query, condition, [...parts.values()]),
      parameters: { ...bound.parameters, ...values },
    },
    read(document) {
      const texts = cellsOf(document, [...parts.keys()]);
      return reads.map((read) => read(texts));
    },
  };
}

type PartOf = Pick<Aggregate, 'column'> & { readonly function: 'count' | 'fine' | 'min' | 'max' | SumPart };

type ReadValue = (texts: ReadonlyMap<string, string>) => string | undefined;

function partOf(name: string, of: PartOf['function'], column: string | undefined, type: Column['type']) {
  const value = column === undefined ? '*' : comparable({ name: column, type });
  const isCount = of === 'count' || of === 'fine';
  const typed = isCount ? 'integer' : isSumPart(of) && type === 'integer' ? 'numeric' : type;
  return {
    column: { name, type: typed, repeated: false, required: false, unit: undefined, description: '' },
    sql: partSql(of, type, value),
  };
}

function partSql(of: PartOf['function'], type: Column['type'], value: string): string {
  if (of === 'fine') return `countif(${value} <> trunc(${value}, 9))`;
  return isSumPart(of) ? `sum(${addedIn(of, type, value)})` : `${of}(${value})`;
}

/** Parts of values. Their sums are always in their type, where the sum of the values may be beyond it. */
type SumPart = 'low' | 'high';

const isSumPart = (of: PartOf['function']): of is SumPart => of === 'low' || of === 'high';

/** Integers are added as NUMERIC, which has room for the sum of any number of them. */
const sumPartsOf = (type: Column['type']): readonly SumPart[] =>
  type === 'integer' ? ['low'] : ['low', 'high'];

/** How often a decimal has it is its high part. */
const highUnit = 10n ** 15n;

/** Values are mostly small, and are added as they are: engines need long for the parts of a decimal. */
function addedIn(part: SumPart, type: Column['type'], value: string): string {
  if (type === 'integer') return `cast(${value} as numeric)`;
  const isDecimal = type === 'numeric';
  const isSmall = `abs(${value}) < ${isDecimal ? highUnit : largeFloat.from.toExponential()}`;
  if (part === 'low') return `if(${isSmall}, ${value}, ${isDecimal ? `mod(${value}, ${highUnit})` : 'null'})`;
  const high = isDecimal ? `div(${value}, ${highUnit})` : `${value} / ${largeFloat.divisor.toExponential()}`;
  return `if(${isSmall}, null, ${high})`;
}

/** @param parts as `sumPartsOf` lists them, undefined for NULL */
function totalOf(
  type: Column['type'],
  [low, high]: readonly (string | undefined)[],
): number | bigint | undefined {
  if (low === undefined && high === undefined) return undefined;
  if (type === 'float') return Number(high ?? 0) * largeFloat.divisor + Number(low ?? 0);
  const unitsOf = (json = '"0"') => BigInt(valueKind('numeric').ofCell(json));
  const units = unitsOf(high) * highUnit + unitsOf(low);
  return type === 'numeric' ? units : units / 10n ** 38n;
}

/** As `aggregateRows` writes it. */
function partText(
  of: PartOf['function'],
  type: Column['type'],
  json: string | undefined,
): string | undefined {
  if (json === undefined || of === 'count') return json;
  const kind = valueKind(type);
  return kind.json(kind.ofCell(json));
}

/** The cells of the one row that are not NULL. */
function cellsOf({ encodings }: ResultDocument, names: readonly string[]): ReadonlyMap<string, string> {
  const [text = ''] = rowTexts(encodings.identity, encodings.identity.byteLength);
  const [row = '{}'] = splitObjects(text);
  const cells = splitObject(row, new Map(names.map((name, at) => [name, at])), names.length);
  return new Map(
    names.flatMap((name, at): [string, string][] => {
      const cell = cells[at];
      return cell === undefined || cell === 'null' ? [] : [[name, cell]];
    }),
  );
}

import { splitObject, splitObjects } from '@querygate/text';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { comparable, pushedAggregates, pushedRange, pushedRows } from '../../catalog/model/pushed-forms.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import { rowTexts } from '../../engine-contract/rows-document.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { averageOf } from '../aggregate-rows.ts';
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
    if (name !== 'avg') {
      const key = part({ function: name, column });
      return (texts) => partText(name, type, texts.get(key));
    }
    const [sum, count] = [part({ function: 'sum', column }), part({ function: 'count', column })];
    return (texts) => {
      const total = texts.get(sum);
      if (total === undefined) return undefined;
      const exact = type === 'integer' ? BigInt(JSON.parse(total)) : valueKind(type).ofCell(total);
      return averageOf(type, type === 'float' ? Number(exact) : BigInt(exact), Number(texts.get(count)));
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

type PartOf = Pick<Aggregate, 'column'> & { readonly function: 'count' | 'sum' | 'min' | 'max' };

type ReadValue = (texts: ReadonlyMap<string, string>) => string | undefined;

/** Integers are added as NUMERIC, which has room for the sum of any number of them. */
function partOf(name: string, of: PartOf['function'], column: string | undefined, type: Column['type']) {
  const value = column === undefined ? '*' : comparable({ name: column, type });
  const isInteger = type === 'integer';
  const typed = of === 'count' ? 'integer' : of === 'sum' && isInteger ? 'numeric' : type;
  return {
    column: { name, type: typed, repeated: false, required: false, unit: undefined, description: '' },
    sql: `${of}(${of === 'sum' && isInteger ? `cast(${value} as numeric)` : value})`,
  };
}

/** As `aggregateRows` writes it. */
function partText(
  of: PartOf['function'],
  type: Column['type'],
  json: string | undefined,
): string | undefined {
  if (json === undefined || of === 'count') return json;
  if (of === 'sum' && type === 'integer') return String(JSON.parse(json));
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

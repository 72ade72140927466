import { quoteShort, shorten } from '@querygate/text';
import { lostPlusAdvice } from '../../catalog/binding/check-value.ts';
import { textProblem } from '../../catalog/binding/list-values.ts';
import type { Column, OrderKey, SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { isTruncated } from '../../files/timestamps.ts';
import { memoize } from '../../memoize.ts';
import { isSummable } from '../aggregate-rows.ts';
import { argumentLimits } from '../argument-limits.ts';
import { type CellValue, valueKind } from '../cell-values.ts';
import { parseLike } from '../like-pattern.ts';
import type { Aggregate, AggregateFunction, ComparisonOperator, Condition } from '../row-arguments.ts';

/** How a comparison is written; `isNull` takes true or false. */
export type Operator = ComparisonOperator | 'in' | 'like' | 'isNull';

/** Guesses of what a caller meant, for messages to those who cannot look it up. */
export interface Hints {
  /** The one of some names that is near to a wrong one. */
  readonly nearest: (text: string, names: readonly string[]) => string | undefined;
  /** The probable meaning of a wrong value of a column. */
  readonly value: (column: Pick<Column, 'type'>, text: string) => string | undefined;
}

const noHints: Hints = { nearest: () => undefined, value: () => undefined };

const { maxConditions, maxConditionDepth, maxConditionValues, maxLikeLength } = argumentLimits;

/**
 * Reads the row arguments of one request from the texts of a caller, within the limits, whatever they are written in. All of its
 * methods throw GatewayError INVALID_PARAMETER.
 */
export class ArgumentReader {
  readonly #filter: ReadonlyMap<string, Column>;
  readonly #order: ReadonlyMap<string, Column>;
  readonly #hints: Hints;
  #conditions = 0;
  #values = 0;

  constructor({ rowArguments }: Pick<SavedQuery, 'rowArguments'>, hints = noHints) {
    this.#hints = hints;
    this.#filter = byName(rowArguments?.filter ?? none);
    this.#order = byName(rowArguments?.order ?? none);
  }

  comparison(name: string, operator: Operator, operands: readonly string[]): Condition {
    this.#count();
    const column = this.requireFilterable(name);
    const [text = ''] = operands;
    if (operator === 'isNull') return { kind: operator, column: name, isNull: text === 'true' };
    if (operator === 'in') {
      this.#values += operands.length;
      if (this.#values > maxConditionValues)
        throw invalid(name, `the lists of in have more than ${maxConditionValues} values together`);
      const values = operands.map((one) => this.#value(column, one));
      const exact = values.filter((_, at) => !isBetweenCells(column, operands[at]));
      const [first] = values;
      if (first !== undefined && exact.length === 0) return this.#compareBetween(name, 'eq', first);
      return { kind: operator, column: name, values: exact };
    }
    if (operator === 'like') return { kind: operator, column: name, pattern: patternOf(column, text) };
    const value = this.#value(column, text);
    if (isBetweenCells(column, text)) return this.#compareBetween(name, operator, value);
    return { kind: operator, column: name, value };
  }

  /** A comparison with a time between two that cells can have. @param before the first of these */
  #compareBetween(column: string, operator: ComparisonOperator, before: CellValue): Condition {
    const isEarlier = { kind: 'lte', column, value: before } as const;
    const isLater = { kind: 'gt', column, value: before } as const;
    if (operator === 'lt' || operator === 'lte') return isEarlier;
    if (operator === 'gt' || operator === 'gte') return isLater;
    // Equal to no cell, and yet unknown for NULL.
    this.#count();
    return this.both(operator === 'eq' ? 'and' : 'or', [isEarlier, isLater]);
  }

  /** For a condition that cannot be read: that its column takes none is the first thing to say. */
  requireFilterable(name: string): Column {
    return this.#find(this.#filter, name, 'filtered');
  }

  /** Conditions together; none are counted as one, because that is computed for each row, too. */
  both(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
    if (conditions.length === 0) this.#count();
    return { kind, conditions };
  }

  /** To be called before conditions inside another one are read. @param depth of the outer one, from 0 */
  limitDepth(depth: number): void {
    if (depth >= maxConditionDepth)
      throw new GatewayError(
        'INVALID_PARAMETER',
        `Conditions are more than ${maxConditionDepth} levels deep; nest fewer`,
      );
  }

  /** @param nullsFirst undefined for the order of BigQuery: before all others ascending, after them descending */
  orderKey(name: string, descending: boolean, nullsFirst: boolean = !descending): OrderKey {
    this.#count();
    this.#find(this.#order, name, 'ordered by');
    return { column: name, descending, nullsFirst };
  }

  aggregate(name: AggregateFunction, columnName: string | undefined): Aggregate {
    this.#count();
    if (columnName === undefined) {
      if (name === 'count') return { function: name, column: undefined };
      throw invalid(name, 'needs a column');
    }
    const column = this.#find(new Map([...this.#filter, ...this.#order]), columnName, 'aggregated');
    if ((name === 'sum' || name === 'avg') && !isSummable(column))
      throw invalid(columnName, `${name} needs a column of numbers`);
    return { function: name, column: columnName };
  }

  /** For messages: the one of some names that is near to a wrong one; '' if that is not known. */
  nearest(text: string, names: readonly string[]): string {
    const near = this.#hints.nearest(text, names);
    return near === undefined ? '' : `; did you mean ${near}?`;
  }

  #find(columns: ReadonlyMap<string, Column>, name: string, done: string): Column {
    const column = columns.get(name);
    if (column !== undefined) return column;
    const names = [...columns.keys()];
    const right = columns.size === 0 ? 'no column can be' : `these can be: ${names.join(', ')}`;
    throw invalid(name, `cannot be ${done}; ${right}${this.nearest(name, names)}`);
  }

  #value(column: Column, text: string): CellValue {
    const wrong = textProblem(text);
    if (wrong !== undefined) throw invalid(column.name, wrong);
    const { ofText, right, beyond } = valueKind(column.type);
    const value = ofText(text);
    if (value !== undefined) return value;
    const meant = hint(this.#hints.value(column, text));
    const advice = lostPlusAdvice(column.type, text);
    const must = beyond?.numerals.test(text) ? `within ${beyond.type}` : `${right}${advice ?? ''}${meant}`;
    const problem = `got ${quoteShort(text)}; must be ${must}`;
    throw invalid(column.name, problem, advice !== undefined);
  }

  #count(): void {
    this.#conditions += 1;
    if (this.#conditions > maxConditions)
      throw new GatewayError(
        'INVALID_PARAMETER',
        `Conditions, keys of the order and aggregates are more than ${maxConditions} together`,
      );
  }
}

/** Cells have microseconds; some clients send nanoseconds. */
const isBetweenCells = ({ type }: Column, text = ''): boolean =>
  (type === 'timestamp' || type === 'datetime') && isTruncated(text);

const byName = memoize(
  (columns: readonly Column[]): ReadonlyMap<string, Column> =>
    new Map(columns.map((column) => [column.name, column])),
);

const none: readonly Column[] = [];

const hint = (meant: string | undefined): string => (meant === undefined ? '' : `; the nearest is ${meant}`);

function patternOf({ name, type }: Column, text: string) {
  if (type !== 'string') throw invalid(name, 'like needs a column of texts');
  if (text.length > maxLikeLength)
    throw invalid(name, `the pattern of like has ${text.length} characters; the limit is ${maxLikeLength}`);
  const wrong = textProblem(text);
  if (wrong !== undefined) throw invalid(name, wrong);
  const pattern = parseLike(text);
  if (pattern === undefined) throw invalid(name, 'in a pattern of like, \\ must be before %, _ or \\');
  return pattern;
}

/** @param name of a column, or of an argument */
export const invalid = (name: string, wrong: string, hasLostPlus = false): GatewayError => {
  const shown = shorten(name);
  return new GatewayError('INVALID_PARAMETER', `${shown}: ${wrong}`, { parameter: shown, hasLostPlus });
};

/** `first` or `limit`, or `offset`: of more rows than any result has it is the same. */
export function readCount(name: string, value: string): number {
  if (/^\+?\d+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  const wrong = `got ${quoteShort(value)}; must be a whole number from 0`;
  throw invalid(name, wrong, lostPlusAdvice('integer', value) !== undefined);
}

import { comparable, pushedParameter, pushedPrefix } from '../../catalog/model/pushed-forms.ts';
import type { Column, PlainParameter } from '../../catalog/model/saved-query.ts';
import type { BoundValue } from '../../catalog/binding/bind.ts';
import { parseDatetime, timestampText } from '../../files/timestamps.ts';
import { parseDecimal } from '@querygate/text';
import { type CellValue, compareValues, valueKind } from '../cell-values.ts';
import type { LikePattern } from '../like-pattern.ts';
import { argumentsKey, type Comparison, type Condition } from '../row-arguments.ts';

/** A condition as SQL, and what its parameters are. */
export interface ConditionSql {
  readonly where: string;
  readonly parameters: readonly PlainParameter[];
  readonly values: Readonly<Record<string, BoundValue>>;
}

/** Conditions that always keep the same rows give the same SQL and values where that is easily seen. */
export function conditionSql(columns: readonly Column[], condition: Condition | undefined): ConditionSql {
  const writer = new ConditionWriter(columns);
  const where = condition === undefined ? 'true' : writer.write(canonical(condition));
  return { where, parameters: writer.parameters, values: writer.values };
}

/** In an order of its own, without what is there twice or says nothing. */
function canonical(condition: Condition): Condition {
  if (condition.kind === 'not') {
    const inner = canonical(condition.condition);
    if (inner.kind === 'isNull') return { ...inner, isNull: !inner.isNull };
    return inner.kind === 'not' ? inner.condition : { kind: 'not', condition: inner };
  }
  if (condition.kind === 'in') {
    const values = condition.values.toSorted(compareValues);
    return { ...condition, values: values.filter((value, at) => at === 0 || value !== values[at - 1]) };
  }
  if (!('conditions' in condition)) return condition;
  const { kind } = condition;
  const inner = condition.conditions
    .map(canonical)
    .flatMap((one) => (one.kind === kind ? one.conditions : [one]));
  const byKey = new Map(inner.map((one) => [argumentsKey(one), one]));
  const conditions = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  const [only] = conditions;
  return only !== undefined && conditions.length === 1 ? only : { kind, conditions };
}

const operators = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

class ConditionWriter {
  readonly #columns: ReadonlyMap<string, Column>;
  readonly parameters: PlainParameter[] = [];
  readonly values: Record<string, BoundValue> = {};

  constructor(columns: readonly Column[]) {
    this.#columns = new Map(columns.map((column) => [column.name, column]));
  }

  write(condition: Condition): string {
    if (condition.kind === 'not') return `not (${this.write(condition.condition)})`;
    if (!('conditions' in condition)) return this.#comparison(condition);
    if (condition.conditions.length === 0) return condition.kind === 'and' ? 'true' : 'false';
    return condition.conditions.map((one) => `(${this.write(one)})`).join(` ${condition.kind} `);
  }

  #comparison(comparison: Comparison): string {
    const column = this.#columns.get(comparison.column);
    if (column === undefined) throw new TypeError('no such column');
    const value = comparable(column);
    switch (comparison.kind) {
      case 'isNull':
        return `${value} is ${comparison.isNull ? '' : 'not '}null`;
      case 'like':
        return `${value} like ${this.#parameter('string', undefined, likeText(comparison.pattern))}`;
      case 'in':
        return this.#in(column, value, comparison.values);
      default:
        return `${value} ${operators[comparison.kind]} ${this.#operand(column, comparison.value)}`;
    }
  }

  #in(column: Column, value: string, values: readonly CellValue[]): string {
    // Nothing is in a list without values, not even NULL.
    if (values.length === 0) return 'false';
    const operands = values.map((one) => operandOf(column, one));
    // Decimals may have one type or the other.
    const { type, bind, read } =
      operands.find((one) => one.bind === 'BIGNUMERIC') ?? (operands[0] as Operand);
    const texts = operands.map(({ text }) => text);
    const list = this.#parameter(type, bind, texts);
    // A comparison for each would be too deep a tree.
    return read === undefined
      ? `${value} in unnest(${list})`
      : `${value} in (select ${read('item')} from unnest(${list}) as item)`;
  }

  #operand(column: Column, value: CellValue): string {
    const { type, bind, text, read } = operandOf(column, value);
    const parameter = this.#parameter(type, bind, text);
    return read === undefined ? parameter : read(parameter);
  }

  #parameter(type: PlainParameter['type'], bind: Bind, value: BoundValue): string {
    const name = `${pushedPrefix}${this.parameters.length + 1}`;
    this.parameters.push(pushedParameter(name, type, bind, typeof value !== 'string'));
    this.values[name] = value;
    return `@${name}`;
  }
}

type Bind = PlainParameter['bind'];

/** A value as a parameter. */
interface Operand {
  readonly type: PlainParameter['type'];
  readonly bind: Bind;
  readonly text: string;
  /** Makes the value of the parameter, if no parameter can have its type. */
  readonly read?: (parameter: string) => string;
}

function operandOf({ type }: Column, value: CellValue): Operand {
  const plain = String(value);
  switch (type) {
    case 'integer':
      return { type, bind: 'INT64', text: plain };
    case 'float':
      return { type, bind: 'FLOAT64', text: plain };
    case 'numeric': {
      const text = JSON.parse(valueKind(type).json(value)) as string;
      const isNumeric = parseDecimal(text, { whole: 29, fraction: 9 }) !== undefined;
      return { type: 'string', bind: isNumeric ? 'NUMERIC' : 'BIGNUMERIC', text };
    }
    case 'boolean':
      return { type, bind: 'BOOL', text: String(value === 1) };
    case 'timestamp':
      return { type, bind: 'TIMESTAMP', text: timestampText(BigInt(value)) };
    case 'datetime':
      return { type, bind: 'DATETIME', text: parseDatetime(plain) ?? plain };
    case 'date':
      return { type, bind: 'DATE', text: plain };
    case 'time':
      return { type: 'string', bind: undefined, text: plain, read: (name) => `cast(${name} as time)` };
    case 'bytes':
      return { type: 'string', bind: undefined, text: btoa(plain), read: (name) => `from_base64(${name})` };
    default:
      return { type: 'string', bind: undefined, text: plain };
  }
}

const likeText = ({ parts }: LikePattern): string =>
  parts
    .map((part) => part.map((one) => (one === undefined ? '_' : one.replace(/[%_\\]/, '\\$&'))).join(''))
    .join('%');

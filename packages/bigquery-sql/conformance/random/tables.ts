import type { Field, FieldType } from '../../src/table-schema.ts';
import type { Random } from '../../test/support/random.ts';
import type { Table } from '../table.ts';
import type { Value } from '../values.ts';
import type { Inputs } from './inputs.ts';

/** The class of each scalar column; `[name]` for a list of values, `{…}` for a record, `[{…}, most]` for several. */
type Shape = string | readonly [string] | Record | readonly [Record, number];
interface Record {
  readonly [column: string]: Shape;
}

/** Every layout of the store: columns, records that become columns, and lists. */
const shapes: Record = {
  flat: {
    n: 'small',
    i: 'int64',
    f: 'finite',
    g: 'float64',
    d: 'numeric',
    e: 'numeric',
    b: 'bool',
    s: 'string',
    k: 'needle',
    y: 'bytes',
    day: 'date',
    dt: 'datetime',
    tm: 'time',
    ts: 'timestamp',
    js: 'json',
    xs: ['int64s'],
    ss: ['strings'],
  },
  shredded: {
    k: 'needle',
    n: 'small',
    ts: 'timestamp',
    rec: { n: 'small', s: 'string', inner: { day: 'date', d: 'numeric', xs: ['int64s'] } },
    meta: [
      {
        k: 'needle',
        i: 'int64',
        request: [{ s: 'string', f: 'finite', headers: [{ k: 'needle', n: 'small' }, 1] }, 1],
        response: [{ n: 'small', ts: 'timestamp' }, 1],
      },
      1,
    ],
  },
  lists: {
    k: 'needle',
    f: 'finite',
    tags: ['strings'],
    items: [
      {
        k: 'needle',
        n: 'small',
        g: 'float64',
        day: 'date',
        parts: [{ n: 'small', s: 'string' }, 3],
      },
      3,
    ],
    one: { k: 'needle', many: [{ n: 'small', b: 'bool' }, 2] },
  },
};

const rowsPerTable = 7;

/** The class of a column that is a key: its values are different in all rows of a table. */
export const keyColumn = 'id';

export interface RandomTable extends Table {
  /** The class of each scalar by its path. */
  readonly classes: ReadonlyMap<string, string>;
}

/** Tables with random rows, NULLs and duplicates among them. */
export function makeTables(inputs: Inputs, random: Random): readonly RandomTable[] {
  return Object.entries(shapes).map(([name, shape]) => {
    const classes = new Map([[keyColumn, keyColumn]]);
    const pick = pickerOf(random);
    const fields = fieldsOf(shape as Record, inputs, classes, '');
    const key: Field = { name: keyColumn, type: 'INT64', mode: 'NULLABLE' };
    const rows = Array.from({ length: rowsPerTable }, (_, at) => ({
      [keyColumn]: String(at + 1),
      ...recordOf(shape as Record, inputs, random, pick),
    }));
    return { name, fields: [key, ...fields], rows, classes };
  });
}

function fieldsOf(
  shape: Record,
  inputs: Inputs,
  classes: Map<string, string>,
  prefix: string,
): readonly Field[] {
  return Object.entries(shape).map(([name, column]): Field => {
    const path = `${prefix}${name}`;
    const record = recordShape(column);
    if (record !== undefined) {
      const fields = fieldsOf(record, inputs, classes, `${path}.`);
      return { name, type: 'RECORD', mode: Array.isArray(column) ? 'REPEATED' : 'NULLABLE', fields };
    }
    const className = String(Array.isArray(column) ? column[0] : column);
    const type = inputs.get(className)?.type ?? '';
    classes.set(path, className);
    const element = /^ARRAY<(\w+)>$/.exec(type)?.[1];
    return element === undefined
      ? { name, type: type as FieldType, mode: 'NULLABLE' }
      : { name, type: element as FieldType, mode: 'REPEATED' };
  });
}

function recordShape(shape: Shape): Record | undefined {
  if (typeof shape === 'string') return undefined;
  if (!Array.isArray(shape)) return shape as Record;
  return typeof shape[0] === 'object' ? shape[0] : undefined;
}

/** Chooses one of several inputs for a column. */
type Picker = (column: string, choices: number) => number | undefined;

/**
 * Some columns are NULL in all rows of a table, and some have one value: DuckDB leaves out rows by the least and the largest value of a
 * column.
 */
function pickerOf(random: Random): Picker {
  const fillings = new Map<string, number>();
  return (column, choices) => {
    const filling = fillings.get(column) ?? random.below(100);
    fillings.set(column, filling);
    if (filling < 10) return undefined;
    // A number of its own for each column.
    return filling < 20 ? (filling * 7 + column.length) % choices : random.below(choices);
  };
}

const recordOf = (
  shape: Record,
  inputs: Inputs,
  random: Random,
  pick: Picker,
  prefix = '',
): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    Object.entries(shape).map(([name, column]) => [
      name,
      contentOf(column, inputs, random, pick, `${prefix}${name}`),
    ]),
  );

function contentOf(shape: Shape, inputs: Inputs, random: Random, pick: Picker, path: string): unknown {
  const record = recordShape(shape);
  if (record === undefined) {
    const { inputs: choices = [] } = inputs.get(String(Array.isArray(shape) ? shape[0] : shape)) ?? {};
    const picked = pick(path, choices.length);
    return cellContent((picked === undefined ? undefined : choices[picked])?.cell ?? null);
  }
  const one = () => recordOf(record, inputs, random, pick, `${path}.`);
  if (!Array.isArray(shape)) return random.percent(20) ? null : one();
  return random.some(Number(shape[1]), one);
}

/** As BigQuery's JSON loader reads it. */
function cellContent(cell: Value): unknown {
  if (cell === null) return null;
  // A table stores no NULL in an array.
  if (cell.type === 'ARRAY') return cell.items.filter((item) => item !== null).map(cellContent);
  if (cell.type === 'STRUCT') throw new Error('no input is a STRUCT');
  switch (cell.type) {
    case 'BOOL':
      return cell.text === 'true';
    case 'BYTES':
      return Buffer.from(cell.text, 'hex').toString('base64');
    case 'JSON':
      return JSON.parse(cell.text);
    case 'TIMESTAMP':
      return `${cell.text}Z`;
    default:
      return cell.text;
  }
}

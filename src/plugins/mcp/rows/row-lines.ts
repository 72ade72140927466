import { plainText } from '../../../formats/rows.ts';
import { type CellWriter, csvCell } from './cells.ts';

/** Rows with records, lists or JSON as CSV, whose first line has the names of columns and fields once. */
export interface RowLines {
  /** `id,request{method,path},tags[]` */
  readonly names: string;
  readonly lines: readonly string[];
}

/** The meaning of the first line, for models. @param names the line */
export const linesNotice = (names: string): string =>
  `In the first line a{b,c} is a record with its fields, which have a cell each${names.includes('[{') ? '; a[{b,c}] is a list of records in one cell, as JSON without names: [[1,2]]' : ''}.`;

/**
 * Writes rows without the names of fields, which take more than half of what records take as JSON. Records that no row has
 * twice are cells of their own, as in tables. It does so in steps of some milliseconds.
 *
 * @param rows cells as JSON, undefined for NULL
 */
export function* rowLines(
  writers: readonly Pick<CellWriter, 'name' | 'isNested' | 'text'>[],
  rows: readonly (readonly (string | undefined)[])[],
): Generator<undefined, RowLines> {
  const columns: Column[] = [];
  for (const [place, { name, isNested, text }] of writers.entries()) {
    const cells = rows.map((row) => row[place]);
    columns.push(
      isNested
        ? yield* withoutNames(JSON.stringify(name), cells)
        : { name: csvCell(name), cells: [cells.map((cell) => csvCell(text(cell)))] },
    );
  }
  const cells = columns.flatMap((column) => column.cells);
  return {
    names: columns.map(({ name }) => name).join(','),
    lines: rows.map((_, at) => cells.map((column) => column[at]).join(',')),
  };
}

/** One column, or those of the fields of a record. */
interface Column {
  /** As the first line has it. */
  readonly name: string;
  /** Of each column, as CSV. */
  readonly cells: readonly (readonly (string | undefined)[])[];
}

/** A JSON value: the text of one that is neither a list nor an object; fields by the texts of their names. */
type Value = string | readonly Value[] | ReadonlyMap<string, Value>;

/** The structure that all values of a column have in common. */
type Shape =
  /** Nothing: values are written as JSON. */
  | 'json'
  /** There are only NULLs. */
  | undefined
  | Items
  | Fields;

interface Items {
  readonly items: Shape;
  /** How many a list has at most. */
  readonly most: number;
}

interface Fields {
  readonly fields: Map<string, Shape>;
  /** Records that it is the shape of, and the fields that they have together. */
  readonly records: number;
  readonly present: number;
}

/** Records of tables are not deeper. */
const maxDepth = 30;

/** @param name as JSON */
function* withoutNames(name: string, cells: readonly (string | undefined)[]): Generator<undefined, Column> {
  const asJson = { name: plainName(name), cells: [cells.map((cell) => csvCell(plainText(cell, true)))] };
  const known: Value[] = [];
  let shape: Shape;
  let length = 0;
  for (const cell of cells) {
    const value = yield* parse(cell ?? 'null');
    if (value === undefined) return asJson;
    known.push(value);
    shape = merged(shape, value);
    length += cell?.length ?? 0;
    if (length < stepLength) continue;
    length = 0;
    yield undefined;
  }
  // Objects of which each has other names are shorter with them. They may be as many cells as the square of their length.
  if (cellsOf(shape) * known.length > lengthOf(asJson)) return asJson;
  yield undefined;
  const column = spread(name, shape, known);
  return lengthOf(column) < lengthOf(asJson) ? column : asJson;
}

/** How many cells a row has at most. */
function cellsOf(shape: Shape): number {
  if (typeof shape !== 'object') return 1;
  if ('items' in shape) return isSpread(shape) ? cellsOf(shape.items) : 1;
  const cells = [...shape.fields.values()].reduce<number>((sum, one) => sum + cellsOf(one), 0);
  return Math.max(1, cells);
}

/** True if the records of lists have cells of their own. */
const isSpread = (shape: Items): shape is Items & { readonly items: Fields } =>
  shape.most <= 1 && typeof shape.items === 'object' && 'fields' in shape.items;

/** Columns for the fields of records, and one for other values. */
function spread(name: string, shape: Shape, values: readonly (Value | undefined)[]): Column {
  if (shape !== undefined && shape !== 'json') {
    if ('fields' in shape) {
      const columns = [...shape.fields].map(([field, one]) =>
        spread(
          field,
          one,
          values.map((value) => (value instanceof Map ? value.get(field) : undefined)),
        ),
      );
      return {
        name: `${plainName(name)}{${columns.map((column) => column.name).join(',')}}`,
        cells: columns.flatMap(({ cells }) => cells),
      };
    }
    if (isSpread(shape))
      return spread(
        name,
        shape.items,
        values.map((value) => (value !== undefined && isList(value) ? value[0] : undefined)),
      );
  }
  const written = withoutSparse(shape);
  const cells = values.map((value) => csvCell(plainText(value && write(written, value))));
  return { name: plainName(name) + textOfShape(written), cells: [cells] };
}

const lengthOf = ({ name, cells }: Column): number =>
  cells.reduce((sum, column) => column.reduce((all, cell = '') => all + cell.length + 1, sum), name.length);

const tokens = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^{}[\],:"\s]+/g;

/** Of a cell, and characters of cells, that are read in one step: some milliseconds of work. */
const [stepTokens, stepLength] = [16 * 1024, 64 * 1024];

/** A list or an object that is read, with the name of its next field. */
type Open = Value[] | { readonly fields: Map<string, Value>; name: string | undefined };

/** @returns undefined if it is too deep. Numbers and texts stay as they are written. */
function* parse(json: string): Generator<undefined, Value | undefined> {
  const open: Open[] = [];
  let value: Value = 'null';
  let count = 0;
  for (const [token] of json.matchAll(tokens)) {
    count += 1;
    if (count % stepTokens === 0) yield undefined;
    if (token === '[' || token === '{') {
      if (open.length === maxDepth) return undefined;
      open.push(token === '[' ? [] : { fields: new Map(), name: undefined });
      continue;
    }
    const ended = token === ']' || token === '}' ? open.pop() : undefined;
    const outer = open.at(-1);
    value = ended === undefined ? token : Array.isArray(ended) ? ended : ended.fields;
    if (Array.isArray(outer)) outer.push(value);
    else if (outer?.name !== undefined) {
      outer.fields.set(outer.name, value);
      outer.name = undefined;
    } else if (outer !== undefined) outer.name = token;
  }
  return value;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function merged(shape: Shape, value: Value): Shape {
  if (value === 'null') return shape;
  if (shape === 'json' || typeof value === 'string') return 'json';
  if (isList(value)) {
    if (shape !== undefined && !('items' in shape)) return 'json';
    const most = Math.max(shape?.most ?? 0, value.length);
    return { items: value.reduce<Shape>(merged, shape?.items), most };
  }
  if (shape !== undefined && !('fields' in shape)) return 'json';
  const { fields, records, present } = shape ?? { fields: new Map<string, Shape>(), records: 0, present: 0 };
  for (const [name, one] of value) fields.set(name, merged(fields.get(name), one));
  return { fields, records: records + 1, present: present + value.size };
}

/** True if most records have most fields: in a list, each field that one of them lacks is written as `null`. */
const isDense = ({ fields, records, present }: Fields): boolean => 3 * present >= records * fields.size;

/** The shape of values in one cell. */
function withoutSparse(shape: Shape): Shape {
  if (typeof shape !== 'object') return shape;
  if ('items' in shape) return { ...shape, items: withoutSparse(shape.items) };
  if (!isDense(shape)) return 'json';
  return { ...shape, fields: new Map([...shape.fields].map(([name, one]) => [name, withoutSparse(one)])) };
}

function write(shape: Shape, value: Value): string {
  if (typeof value === 'string') return value;
  if (isList(value)) {
    const items = shape !== undefined && shape !== 'json' && 'items' in shape ? shape.items : 'json';
    return `[${value.map((item) => write(items, item)).join(',')}]`;
  }
  if (shape === undefined || shape === 'json' || !('fields' in shape))
    return `{${[...value].map(([name, one]) => `${name}:${write('json', one)}`).join(',')}}`;
  return `[${[...shape.fields].map(([name, one]) => write(one, value.get(name) ?? 'null')).join(',')}]`;
}

function textOfShape(shape: Shape): string {
  if (shape === undefined || shape === 'json') return '';
  if ('items' in shape) return `[${textOfShape(shape.items)}]`;
  return `{${[...shape.fields].map(([name, one]) => named(name, textOfShape(one))).join(',')}}`;
}

const named = (name: string, shape: string): string => plainName(name) + shape;

/** @param name as JSON */
const plainName = (name: string): string => (/^"\w+"$/.test(name) ? name.slice(1, -1) : name);

import { depthOf, textOf, type ExactJson, isList, parseExact } from '@querygate/text';
import { isDecimal, ShapeCollector } from './infer-shape.ts';
import { cellParts, type Rows } from './rows.ts';
import { declaredShape, type Shape } from './shape.ts';

/**
 * The shape of each column, in steps: as the columns declare it, and where they cannot, as the values of the result are.
 */
export function* columnShapes(rows: Rows): Generator<undefined, readonly Shape[]> {
  const readers = rows.columns.map((column) => {
    const shape = declaredShape(column);
    if (shape !== undefined) return { add: undefined, shape: () => shape };
    return column.type === 'numeric' ? readNumerals(column.repeated) : readValues();
  });
  if (readers.every(({ add }) => add === undefined)) return readers.map(({ shape }) => shape());
  for (const part of cellParts(rows)) {
    for (const cells of part) {
      for (const [at, cell] of cells.entries()) if (cell !== undefined) readers[at]?.add?.(cell);
    }
    yield undefined;
  }
  return readers.map(({ shape }) => shape());
}

/** Records of BigQuery are at most 15 deep. JSON in them may be deeper than the stack, of this process and of readers. */
const maxDepth = 50;

function readValues() {
  const values = new ShapeCollector();
  const add = (cell: string) => {
    if (depthOf(cell) > maxDepth) values.addUntyped();
    else values.add(parseExact(cell));
  };
  return { add, shape: () => values.shape };
}

function readNumerals(isRepeated: boolean) {
  let areDecimals = true;
  const add = (cell: string) => {
    areDecimals &&= numeralsOf(cell).every(isDecimal);
  };
  const shape = (): Shape => {
    const kind = areDecimals ? 'decimal' : 'string';
    return isRepeated ? { kind: 'list', element: { kind } } : { kind };
  };
  return { add, shape };
}

/** The texts of a cell of numerals; an array may have NULL. */
function numeralsOf(cell: string): readonly string[] {
  if (cell.startsWith('"')) return [textOf(cell)];
  const value: ExactJson = parseExact(cell);
  const values = value !== null && isList(value) ? value : [value];
  return values.filter((one) => one !== null).map(String);
}

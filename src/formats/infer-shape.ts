import { type ExactJson, isList } from '@querygate/text';
import { decimalDigits, type ScalarShape, type Shape, type ShapeField } from './shape.ts';

/**
 * Collects what the values of a column are. Records have no declared fields: those that the rows have become fields, in the
 * order in which they are met. Values without one type become JSON text.
 */
export class ShapeCollector {
  #scalar: ScalarShape | undefined;
  #element: ShapeCollector | undefined;
  #fields: Map<string, ShapeCollector> | undefined;

  /** Makes it JSON text, whatever the values are. */
  addUntyped(): void {
    this.#mix();
  }

  add(value: ExactJson): void {
    if (value === null || this.#scalar === 'json') return;
    if (typeof value !== 'object') this.#addScalar(scalarOf(value));
    else if (isList(value)) this.#addList(value);
    else this.#addObject(value);
  }

  get shape(): Shape {
    if (this.#scalar === undefined && this.#element !== undefined)
      return { kind: 'list', element: this.#element.shape };
    if (this.#scalar === undefined && this.#fields !== undefined && this.#fields.size > 0) {
      const fields: ShapeField[] = [];
      for (const [name, field] of this.#fields) fields.push({ name, shape: field.shape });
      // Readers compare the names of fields without case.
      const names = new Set(fields.map(({ name }) => name.toLowerCase()));
      if (names.size === fields.length && fields.every(isNamed)) return { kind: 'struct', fields };
    }
    return { kind: this.#scalar ?? 'json' };
  }

  #addScalar(scalar: ScalarShape): void {
    if (this.#element !== undefined || this.#fields !== undefined) this.#mix();
    else if (this.#scalar === undefined) this.#scalar = scalar;
    else if (this.#scalar !== scalar) {
      const isNumber = scalar !== 'json' && numbers.has(scalar) && numbers.has(this.#scalar);
      if (isNumber) this.#scalar = 'float';
      else this.#mix();
    }
  }

  #addList(values: readonly ExactJson[]): void {
    if (this.#scalar !== undefined || this.#fields !== undefined) {
      this.#mix();
      return;
    }
    this.#element ??= new ShapeCollector();
    for (const value of values) this.#element.add(value);
  }

  #addObject(value: { readonly [name: string]: ExactJson }): void {
    if (this.#scalar !== undefined || this.#element !== undefined) {
      this.#mix();
      return;
    }
    this.#fields ??= new Map();
    for (const [name, member] of Object.entries(value)) {
      const field = this.#fields.get(name) ?? new ShapeCollector();
      this.#fields.set(name, field);
      field.add(member);
    }
    if (this.#fields.size > maxFields) this.#mix();
  }

  /** From here on it is JSON text. */
  #mix(): void {
    this.#scalar = 'json';
    this.#element = undefined;
    this.#fields = undefined;
  }
}

/** True if DuckDB can have a field of the name. */
const isNamed = ({ name }: ShapeField): boolean => name !== '' && !name.includes('\0');

/** An object with more members is a map, whose names are data. BigQuery's records may have as many fields in all. */
const maxFields = 1_000;

const numbers: ReadonlySet<ScalarShape> = new Set(['integer', 'float']);

function scalarOf(value: string | number | bigint | boolean): ScalarShape {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  // A larger one would not be exact beside numbers that are not integers.
  if (typeof value === 'bigint') return -maxExact <= value && value <= maxExact ? 'integer' : 'json';
  return 'float';
}

const maxExact = BigInt(Number.MAX_SAFE_INTEGER);

/** True for a numeral that fits NUMERIC of BigQuery. If all of a column are, it has that type; else it is text. */
export const isDecimal = (numeral: string): boolean => decimalPattern.test(numeral);

const { precision, scale } = decimalDigits;
const decimalPattern = new RegExp(`^-?\\d{1,${precision - scale}}(?:\\.\\d{1,${scale}})?$`);

/**
 * A value in the form in which both engines are compared: with its exact type and text.
 *
 * `text` is the canonical text of a scalar: INT64 decimal digits, FLOAT64 the shortest text that parses to it
 * (NaN, Infinity, -Infinity), BYTES hexadecimal, TIMESTAMP and DATETIME with microseconds, JSON with sorted keys.
 */
export type Value =
  | null
  | { readonly type: ScalarType; readonly text: string }
  | { readonly type: 'ARRAY'; readonly items: readonly Value[] }
  | { readonly type: 'STRUCT'; readonly fields: readonly StructField[] };

export type ScalarType =
  | 'INT64'
  | 'FLOAT64'
  | 'NUMERIC'
  | 'BIGNUMERIC'
  | 'STRING'
  | 'BYTES'
  | 'BOOL'
  | 'DATE'
  | 'TIME'
  | 'DATETIME'
  | 'TIMESTAMP'
  | 'INTERVAL'
  | 'JSON'
  | 'RANGE'
  /** A type that BigQuery does not have: always a difference. */
  | 'FOREIGN';

interface StructField {
  /** '' if the field has no name. */
  readonly name: string;
  readonly value: Value;
}

/** The result of one query on one engine. */
export type Answer =
  | {
      readonly columns: readonly string[];
      /** The columns' types in BigQuery's syntax, if the engine reports them. */
      readonly types?: readonly string[];
      readonly rows: readonly (readonly Value[])[];
    }
  | { readonly error: string; readonly stage: Stage };

/**
 * Where an error came from. analysis: the query was rejected before it ran; evaluation: its values; missing: the
 * reference does not implement a function, or is too slow; broken: DuckDB rejected the rewritten SQL.
 */
type Stage = 'analysis' | 'evaluation' | 'missing' | 'broken';

export const scalar = (type: ScalarType, text: string): Value => ({ type, text });

/** The text for reports; a single cell is shown without the column name. */
export function showAnswer(answer: Answer): string {
  if ('error' in answer) return `error (${answer.stage}): ${answer.error}`;
  const [first, ...others] = answer.rows;
  const [type = ''] = answer.types ?? [];
  if (answer.columns.length === 1 && first !== undefined && others.length === 0)
    return first[0] === null ? `${type} NULL`.trim() : showRow(first);
  return [answer.columns.join(' | '), ...answer.rows.map(showRow)].join('\n');
}

export const showRow = (row: readonly Value[]) => row.map(showValue).join(' | ');

export function showValue(value: Value): string {
  if (value === null) return 'NULL';
  if (value.type === 'ARRAY') return `[${value.items.map(showValue).join(', ')}]`;
  if (value.type === 'STRUCT') return `STRUCT(${value.fields.map(showField).join(', ')})`;
  const text = value.type === 'STRING' ? JSON.stringify(value.text) : value.text;
  return `${value.type} ${text}`;
}

const showField = ({ name, value }: StructField) => (name === '' ? '' : `${name}: `) + showValue(value);

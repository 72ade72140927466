import { canonicalJson, floatText } from './scalar-text.ts';
import { type Answer, type ScalarType, scalar, type Value } from './values.ts';

/** A line that `bigquery-sql --json` prints. */
export type CliLine =
  | {
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: readonly (readonly unknown[])[];
    }
  | { readonly error: { readonly stage: string; readonly message: string } };

/** A line of the command in the form in which answers are compared. */
export function toAnswer(line: CliLine): Answer {
  if ('error' in line) {
    const stages = { refused: 'analysis', 'run time': 'evaluation' } as const;
    const { stage, message } = line.error;
    return { error: message, stage: stages[stage as keyof typeof stages] ?? 'broken' };
  }
  const types = line.columns.map(({ type }) => parseType(type));
  return {
    columns: line.columns.map(({ name }) => name),
    types: line.columns.map(({ type }) => type),
    rows: line.rows.map((row) => row.map((cell, at) => toValue(cell, types[at] ?? unknownType))),
  };
}

export interface Type {
  readonly name: string;
  readonly element?: Type;
  readonly fields?: readonly { readonly name: string; readonly type: Type }[];
}

const unknownType: Type = { name: 'FOREIGN' };

function toValue(cell: unknown, type: Type): Value {
  if (cell === null) return null;
  if (type.element) {
    const { element } = type;
    return { type: 'ARRAY', items: (cell as unknown[]).map((item) => toValue(item, element)) };
  }
  if (type.fields) {
    const cells = cell as unknown[];
    return {
      type: 'STRUCT',
      fields: type.fields.map(({ name, type }, at) => ({ name, value: toValue(cells[at], type) })),
    };
  }
  return scalar(type.name as ScalarType, scalarText(type.name, cell));
}

function scalarText(type: string, cell: unknown): string {
  const text = String(cell);
  switch (type) {
    case 'FLOAT64':
      return floatText(Number(cell));
    case 'BYTES':
      return Buffer.from(text, 'base64').toString('hex');
    case 'RANGE':
    case 'TIMESTAMP':
      return text.replaceAll(/Z(?=$|[,)])/g, '');
    case 'JSON':
      return canonicalJson(text);
    case 'INTERVAL':
      return intervalText(text);
    default:
      return text;
  }
}

/** `1-2 3 4:5:6.789` in months, days and microseconds. */
export function intervalText(text: string): string {
  const [, minus = '', years, months, days, minusTime = '', hours, minutes, seconds, fraction = ''] =
    /^(-?)(\d+)-(\d+) (-?\d+) (-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const micros =
    (BigInt(hours ?? 0) * 3600n + BigInt(minutes ?? 0) * 60n + BigInt(seconds ?? 0)) * 1_000_000n +
    BigInt(fraction.padEnd(6, '0'));
  const sign = minusTime === '' ? 1n : -1n;
  const totalMonths = (Number(years) * 12 + Number(months)) * (minus === '' ? 1 : -1) || 0;
  return `${totalMonths} months ${days} days ${micros * sign} microseconds`;
}

/** Parses a type in BigQuery's syntax. */
export function parseType(text: string): Type {
  const tokens = text.match(/`(?:\\.|[^`])*`|\w+|[<>,]/g) ?? [];
  let at = 0;
  const type = (): Type => {
    const name = tokens[at++] ?? '';
    if (tokens[at] !== '<') return { name };
    at += 1;
    if (name === 'STRUCT') return { name, fields: fields() };
    const element = type();
    at += 1;
    return name === 'ARRAY' ? { name, element } : { name };
  };
  const fields = () => {
    const list: { name: string; type: Type }[] = [];
    while (at < tokens.length && tokens[at] !== '>') {
      const hasName = !/^[<>,]$/.test(tokens[at + 1] ?? '>');
      const name = hasName ? (tokens[at++] ?? '').replace(/^`|`$/g, '') : '';
      list.push({ name, type: type() });
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return list;
  };
  return type();
}

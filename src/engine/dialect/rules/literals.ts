import type {
  BlobLiteral,
  BooleanLiteral,
  DateLiteral,
  DatetimeLiteral,
  NullLiteral,
  NumberLiteral,
  NumericLiteral,
  Parameter,
  StringLiteral,
  TimeLiteral,
  TimestampLiteral,
} from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { nullType, scalar } from '../type.ts';
import { bytesOf, textOf } from './escapes.ts';

export const quoteText = (text: string): string =>
  // DuckDB's parser ends a statement at a NUL byte.
  `'${text.replaceAll("'", "''").split('\0').join("' || chr(0) || '")}'`;

export const stringLiteral: Rule<StringLiteral> = (node) => {
  const value = textOf(node);
  const text = quoteText(value);
  return { text: value.includes('\0') ? `(${text})` : text, type: scalar('STRING'), coercible: true };
};

export const numberLiteral: Rule<NumberLiteral> = (node) => number(node, node.text);

/** Integers are INT64 even where DuckDB would take a smaller type; the rest are FLOAT64, never decimals. */
export function number(node: NumberLiteral, text: string): Sql {
  if (/^-?(\d+|0x[\da-f]+)$/i.test(text)) {
    const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
    if (BigInt.asIntN(64, value) !== value) throw new Refusal(node, `${text} does not fit INT64`);
    return { text: `CAST(${value} AS BIGINT)`, type: scalar('INT64'), coercible: true };
  }
  return { text: `CAST('${text}' AS DOUBLE)`, type: scalar('FLOAT64'), coercible: true };
}

export const booleanLiteral: Rule<BooleanLiteral> = (node) => ({
  text: node.value ? 'TRUE' : 'FALSE',
  type: scalar('BOOL'),
});

export const nullLiteral: Rule<NullLiteral> = () => ({ text: 'NULL', type: nullType });

export const blobLiteral: Rule<BlobLiteral> = (node) => ({
  text: `from_hex('${bytesOf(node).toString('hex')}')`,
  type: scalar('BYTES'),
});

export const dateLiteral: Rule<DateLiteral> = (node) => ({
  text: `CAST(${quoteText(textOf(node.string))} AS DATE)`,
  type: scalar('DATE'),
});

export const timeLiteral: Rule<TimeLiteral> = (node) => ({
  text: `CAST(${quoteText(textOf(node.string))} AS TIME)`,
  type: scalar('TIME'),
});

export const datetimeLiteral: Rule<DatetimeLiteral> = (node) => ({
  text: `CAST(${quoteText(textOf(node.string))} AS TIMESTAMP)`,
  type: scalar('DATETIME'),
});

export const timestampLiteral: Rule<TimestampLiteral> = (node) => ({
  text: `CAST(${quoteText(textOf(node.string))} AS TIMESTAMPTZ)`,
  type: scalar('TIMESTAMP'),
});

export const numericLiteral: Rule<NumericLiteral> = (node) => ({
  text: `CAST(${quoteText(textOf(node.string))} AS DECIMAL(38,9))`,
  type: scalar('NUMERIC'),
});

/** Every parameter of a saved query is a STRING. */
export const parameter: Rule<Parameter> = (node, _scope, to) => {
  const name = node.text.slice(1);
  if (!/^[a-z_]\w*$/i.test(name)) throw new Refusal(node, `${node.text} is not a parameter name`);
  if (name.toLowerCase() === 'current_timestamp') {
    throw new Refusal(node, "a parameter can't be named current_timestamp");
  }
  return { text: `CAST(${to.parameter(name)} AS VARCHAR)`, type: scalar('STRING'), coercible: true };
};

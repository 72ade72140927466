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
import { callMacro } from '../macros/macro-call.ts';
import { ownPrefix } from '../passes/hoist-constants.ts';
import { parseMicros } from '../passes/time-expressions.ts';
import type { Sql } from '../scope.ts';
import { nowParameter, type Rule } from '../translator.ts';
import { duckdbType, nullType, type ScalarName, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { bytesOf, textOf } from './escapes.ts';

export const quoteText = (text: string): string =>
  `'${text.replaceAll("'", "''").replaceAll(unsafeCharacters, (character) => `' || chr(${character.charCodeAt(0)}) || '`)}'`;

/** DuckDB's parser ends a statement at a NUL byte; the other characters mark constants. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match them
const unsafeCharacters = /[\0-\x02]/g;

export const stringLiteral: Rule<StringLiteral> = (node) => {
  const value = textOf(node);
  const text = quoteText(value);
  return {
    text: text.includes(' || chr(') ? `(${text})` : text,
    type: scalar('STRING'),
    coercible: true,
    known: value,
    timeExpression: () => value,
  };
};

export const numberLiteral: Rule<NumberLiteral> = (node) => numberSql(node, node.text);

/** Integers are INT64, where DuckDB may choose a smaller type; other numbers are FLOAT64, never decimals. */
export function numberSql(node: NumberLiteral, text: string): Sql {
  if (/^-?(\d+|0x[\da-f]+)$/i.test(text)) {
    const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
    if (BigInt.asIntN(64, value) !== value) throw new Unsupported(node, `${text} does not fit INT64`);
    const sql = { text: `CAST(${value} AS BIGINT)`, type: scalar('INT64'), coercible: true };
    return { ...sql, timeExpression: () => value };
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

/** `DATE '…'` and the like mean CAST of the text, unless the text has a form that DuckDB reads alike. */
const typedLiteral =
  (name: ScalarName, sharedForm?: RegExp): Rule<TypedLiteral> =>
  (node) => {
    const value = textOf(node.string);
    const type = scalar(name);
    if (sharedForm?.test(value)) {
      const text = `CAST(${quoteText(value)} AS ${duckdbType(type)})`;
      const sql = { text, type };
      return name === 'TIMESTAMP' ? { ...sql, timeExpression: () => parseMicros(value) } : sql;
    }
    const text = { text: quoteText(value), type: scalar('STRING') };
    return callMacro(node, `cast_${name.toLowerCase()}`, [text], name);
  };

type TypedLiteral = DateLiteral | DatetimeLiteral | NumericLiteral | TimeLiteral | TimestampLiteral;

// Texts that both engines read alike need no macro.
const datePattern = /^(?!0000)\d{4}-\d\d-\d\d$/;
const datetimePattern = /^(?!0000)\d{4}-\d\d-\d\d[ T](?!24)\d\d:\d\d:\d\d(\.\d{1,6})?$/;
const timestampPattern = new RegExp(datetimePattern.source.replace('$', '(Z|[+]00(:00)?)?$'));

export const dateLiteral = typedLiteral('DATE', datePattern);
export const timeLiteral = typedLiteral('TIME');
export const datetimeLiteral = typedLiteral('DATETIME', datetimePattern);
export const timestampLiteral = typedLiteral('TIMESTAMP', timestampPattern);
export const numericLiteral = typedLiteral('NUMERIC');

/** Every parameter of a saved query is a STRING. */
export const parameter: Rule<Parameter> = (node, _scope, tr) => {
  const name = node.text.slice(1);
  if (!/^[a-z_]\w*$/i.test(name)) throw new Unsupported(node, `${node.text} is not a parameter name`);
  if (name.toLowerCase() === nowParameter || name.toLowerCase().startsWith(ownPrefix)) {
    throw new Unsupported(node, `a parameter can't be named ${name}`);
  }
  const known = tr.known(name);
  const text = known === undefined ? tr.parameter(name) : quoteText(known);
  return {
    text: `CAST(${text} AS VARCHAR)`,
    type: scalar('STRING'),
    coercible: true,
    ...(known !== undefined && { known }),
    timeExpression: (run) => known ?? run.parameter(name),
  };
};

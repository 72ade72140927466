import type { FuncCall, Node } from 'sql-parser-cst';
import { quoteText } from '../expr/literals.ts';
import { computeOnce, isWorthComputingOnce } from '../macros/compute-once.ts';
import { callMacro, plainArguments } from '../macros/macro-call.ts';
import { macroSizes } from '../macros/macros.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { describeType, isScalar, type ScalarName, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { type ValueTextFormat, valueText } from './value-text.ts';

/** One `%…` of a format; width and precision are DuckDB expressions. */
interface Specifier {
  readonly flags: string;
  readonly width: string | undefined;
  readonly precision: string | undefined;
  readonly letter: string;
  readonly value: Sql;
}

/** FORMAT with a literal format string, as a concatenation of text and formatted arguments. */
export const format: Rule<FuncCall> = (node, scope, tr) => {
  const [pattern, ...args] = plainArguments(node);
  if (pattern && isNull(pattern)) return { text: 'CAST(NULL AS VARCHAR)', type: scalar('STRING') };
  if (pattern?.type !== 'string_literal')
    throw new Unsupported(pattern ?? node, 'the first argument of FORMAT must be a string literal');
  const queue = args.map((arg) => ({ node: arg, scope, tr }));
  const parts = [...pattern.value.matchAll(/%%|%([-+ #0']*)(\d+|\*)?(?:\.(\d+|\*)?)?(.)?|[^%]+/gsu)].map(
    (match) => formatPart(match, pattern, queue),
  );
  if (queue[0]) throw new Unsupported(queue[0].node, 'FORMAT has more arguments than its format string uses');
  return { text: parts.length === 0 ? "''" : `(${parts.join(' || ')})`, type: scalar('STRING') };
};

const isNull = (node: Node): boolean =>
  node.type === 'null_literal' || (node.type === 'cast_expr' && isNull(node.args.expr.expr));

interface Argument {
  readonly node: Node;
  readonly scope: Scope;
  readonly tr: Translator;
}

function formatPart(match: RegExpExecArray, pattern: Node, queue: Argument[]): string {
  const [all, flags = '', width, precision, letter] = match;
  if (all === '%%') return quoteText('%');
  if (!all.startsWith('%')) return `(${quoteText(all)})`;
  const write = letter === undefined ? undefined : writers[letter];
  if (!write || !letter) throw new Unsupported(pattern, `FORMAT does not support ${all}`);

  const next = () => {
    const argument = queue.shift();
    if (argument) return argument;
    throw new Unsupported(pattern, 'FORMAT has fewer arguments than its format string uses');
  };
  const size = (text: string | undefined) => {
    if (text !== '*') return text;
    const argument = next();
    return requireType(argument.tr.expr(argument.node, argument.scope), argument.node, '*', 'INT64').text;
  };
  const specifier = {
    flags,
    width: size(width),
    precision: size(all.includes('.') ? (precision ?? '0') : undefined),
  };
  const { node, scope, tr } = next();
  return writeOnce(write, { ...specifier, letter, value: tr.expr(node, scope) }, node, tr);
}

/** Computes a long value once: most writers use it repeatedly. */
function writeOnce(write: Writer, specifier: Specifier, node: Node, tr: Translator): string {
  const { value, width = '', precision = '' } = specifier;
  // A lambda must not contain subqueries, which a width or precision given as an argument may.
  const isFixed = /^\d*$/.test(width) && /^\d*$/.test(precision);
  if (!isFixed || !isWorthComputingOnce(macroSizes.sizeOf(value.text), 2)) return write(specifier, node, tr);
  return computeOnce([value.text], 'formatted', ([text = '']) =>
    write({ ...specifier, value: { ...value, text } }, node, tr),
  );
}

function requireType(value: Sql, node: Node, letter: string, ...names: readonly ScalarName[]): Sql {
  if (value.type.kind === 'null' && names.includes('INT64'))
    return { text: 'CAST(NULL AS BIGINT)', type: scalar('INT64') };
  if (isScalar(value.type, ...names)) return value;
  throw new Unsupported(node, `%${letter} takes ${names.join(' or ')}, not ${describeType(value.type)}`);
}

type Writer = (specifier: Specifier, node: Node, tr: Translator) => string;

const integer: Writer = ({ flags, width, precision, letter, value }, node) => {
  const { text } = requireType(value, node, letter, 'INT64');
  const base = letter === 'd' || letter === 'i' ? 'd' : letter;
  const digits = `bq.format_digits(${text}, '${base}', ${precision ?? 1})`;
  const prefix = flags.includes('#') ? ({ x: '0x', X: '0X', o: '0' }[letter] ?? '') : '';
  const grouped = flags.includes("'")
    ? `bq.format_grouped(${digits}, ${base === 'd' ? 3 : 4}, '${/x/i.test(base) ? ':' : ','}')`
    : digits;
  const head = `bq.format_sign(${text} < 0, ${quoteText(flags)}) || '${prefix}'`;
  return padNumber(head, grouped, precision === undefined ? flags : flags.replaceAll('0', ''), width);
};

const float: Writer = ({ flags, width, precision = '6', letter, value }, node) => {
  const { text, type } = requireType(value, node, letter, 'FLOAT64', 'NUMERIC');
  const exact = isScalar(type, 'NUMERIC');
  if (exact && !/f/i.test(letter)) throw new Unsupported(node, `%${letter} of NUMERIC is not supported`);
  const macro = exact ? 'numeric' : 'float';
  const hash = flags.includes('#');
  const digits = `bq.format_${macro}(${text}, '${hash ? '#' : ''}', ${precision}, '${letter}')`;
  const grouped = flags.includes("'") ? `bq.format_grouped(${digits}, 3, ',')` : digits;
  const head = `bq.format_sign(${text} < 0, ${quoteText(flags)})`;
  const padded = padNumber(head, grouped, flags, width);
  if (exact || !flags.includes('0') || width === undefined) return padded;
  const blank = padNumber(head, grouped, flags.replaceAll('0', ''), width);
  return `CASE WHEN isfinite(${text}) THEN ${padded} ELSE ${blank} END`;
};

const text: Writer = (specifier, node) => {
  const { text } = requireType(specifier.value, node, specifier.letter, 'STRING');
  return padText(text, specifier);
};

/** %t and %T take values of every type. */
const anyValue: Writer = (specifier, node, tr) => {
  const textFormat = (specifier.letter === 't' ? plainFormat : literalFormat)(node);
  return padText(valueText(specifier.value, textFormat, tr), specifier);
};

const json: Writer = (specifier, node) =>
  padText(`bq.json_of_json(${requireType(specifier.value, node, 'p', 'JSON').text})`, specifier);

const writers: Readonly<Record<string, Writer>> = {
  d: integer,
  i: integer,
  x: integer,
  X: integer,
  o: integer,
  f: float,
  F: float,
  e: float,
  E: float,
  g: float,
  G: float,
  s: text,
  p: json,
  t: anyValue,
  T: anyValue,
};

const padText = (text: string, { flags, width, precision }: Specifier) =>
  padToWidth(precision === undefined ? text : `bq.format_cut(${text}, ${precision})`, flags, width);

function padToWidth(text: string, flags: string, width: string | undefined): string {
  if (width === undefined) return text;
  return `bq.format_padded(${text}, ${flags.includes('-') ? `-abs(${width})` : width})`;
}

/** Zeros are padded between the sign and the digits. */
function padNumber(head: string, digits: string, flags: string, width: string | undefined): string {
  const zeros = flags.includes('0') && !flags.includes('-') && width !== undefined;
  const body = zeros ? `bq.format_zeros(${head}, ${digits}, ${width})` : `(${head} || ${digits})`;
  return padToWidth(body, flags, width);
}

const plainFormat = (node: Node): ValueTextFormat => ({
  null: 'NULL',
  scalar: (value) => {
    if (isScalar(value.type, 'BYTES')) return `bq.format_bytes(${value.text})`;
    if (isScalar(value.type, 'FLOAT64'))
      return `bq.format_any_float(${asString(value, node)}, ${value.text})`;
    if (isScalar(value.type, 'JSON')) return `bq.json_of_json(${value.text})`;
    return asString(value, node);
  },
  array: (elements) => `'[' || array_to_string(${elements}, ', ') || ']'`,
  struct: (fields) => `'(' || ${fields.map((field) => field.text).join(" || ', ' || ") || "''"} || ')'`,
});

const literalFormat = (node: Node): ValueTextFormat => ({
  ...plainFormat(node),
  scalar: (value) => {
    if (isScalar(value.type, 'STRING')) return `bq.format_string_literal(${value.text})`;
    if (isScalar(value.type, 'BYTES')) return `bq.format_bytes_literal(${value.text})`;
    const plain = plainFormat(node).scalar(value);
    if (isScalar(value.type, 'INT64', 'BOOL')) return plain;
    if (isScalar(value.type, 'FLOAT64')) return `bq.format_float_literal(${plain})`;
    if (isScalar(value.type, 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'NUMERIC'))
      return `'${describeType(value.type)} "' || ${plain} || '"'`;
    throw new Unsupported(node, `%T of ${describeType(value.type)} is not supported`);
  },
  struct: (fields) =>
    `'${fields.length < 2 ? 'STRUCT' : ''}(' || ${fields.map((field) => field.text).join(" || ', ' || ") || "''"} || ')'`,
});

function asString(value: Sql, node: Node): string {
  if (isScalar(value.type, 'STRING')) return value.text;
  if (isScalar(value.type, 'INT64', 'FLOAT64', 'NUMERIC', 'BOOL', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'))
    return callMacro(node, 'cast_string', [value], 'FORMAT').text;
  throw new Unsupported(node, `FORMAT of ${describeType(value.type)} is not supported`);
}

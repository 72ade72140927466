import type { FuncCall, Node } from 'sql-parser-cst';
import { convert, distance } from '../../coercion.ts';
import { textOf } from '../../expr/escapes.ts';
import { quoteText } from '../../expr/literals.ts';
import { functionName, plainArguments } from '../../macros/macro-call.ts';
import type { Sql } from '../../scope.ts';
import type { Rule } from '../../translator.ts';
import { describeType, type ScalarName, scalar } from '../../types.ts';
import { Unsupported } from '../../unsupported.ts';

/** The value to format, and its civil time in the requested zone, for DuckDB's strftime. */
interface TimeOperand {
  readonly value: string;
  readonly civil: string;
}

/** One element of a format: a strftime format, or an expression. */
type Element = { readonly strftime: string } | { readonly sql: (operand: TimeOperand) => string };

/** The types that each function accepts, its own first. */
const acceptedTypes: Readonly<Record<string, readonly ScalarName[]>> = {
  format_date: ['DATE', 'DATETIME', 'TIMESTAMP'],
  format_datetime: ['DATETIME', 'TIMESTAMP'],
  format_timestamp: ['TIMESTAMP', 'DATETIME'],
  format_time: ['TIME'],
};

/** `FORMAT_TIMESTAMP('%F', x, zone)` and the like: the format is parsed here, and each element becomes DuckDB text. */
export const formatTime: Rule<FuncCall> = (node, scope, tr) => {
  const name = functionName(node.name);
  const [formatNode, valueNode, zoneNode, another] = plainArguments(node);
  if (!formatNode || !valueNode || another)
    throw new Unsupported(node, `${name.toUpperCase()} takes a format and a value`);
  const value = tr.expr(valueNode, scope);
  const type = nearest(acceptedTypes[name] ?? [], value);
  if (!type || (zoneNode && type !== 'TIMESTAMP'))
    throw new Unsupported(node, `${name.toUpperCase()} does not take (${describeType(value.type)})`);
  const converted = convert(value, scalar(type));
  const operand = {
    value: converted,
    civil: civil(type, converted, zoneNode && tr.expr(zoneNode, scope).text),
  };
  const format = literalFormat(formatNode, name);
  return {
    text: format === null ? 'CAST(NULL AS VARCHAR)' : formatText(formatNode, format, type, operand),
    type: scalar('STRING'),
  };
};

/**
 * The format of a call; null for NULL.
 *
 * @throws Unsupported if it is not a literal
 */
export function literalFormat(node: Node, name: string): string | null {
  if (node.type === 'string_literal') return textOf(node);
  if (node.type === 'null_literal') return null;
  throw new Unsupported(node, `the format of ${name.toUpperCase()} must be a string literal`);
}

function nearest(types: readonly ScalarName[], value: Sql): ScalarName | undefined {
  const reachable = types.filter((type) => distance(value, scalar(type)) !== undefined);
  return reachable.find((type) => distance(value, scalar(type)) === 0) ?? reachable[0];
}

function civil(type: ScalarName, value: string, zone: string | undefined): string {
  if (type === 'TIME') return `(DATE '2000-01-01' + ${value})`;
  if (type !== 'TIMESTAMP') return value;
  return zone === undefined ? `make_timestamp(epoch_us(${value}))` : `bq.civil_to_show(${value}, ${zone})`;
}

/** Adjacent strftime elements share one call. */
function formatText(node: Node, format: string, type: ScalarName, operand: TimeOperand): string {
  const elements = parseFormat(node, format, type);
  const texts: string[] = [];
  let run = '';
  const flush = () => {
    if (run !== '') texts.push(`strftime(${operand.civil}, ${quoteText(run)})`);
    run = '';
  };
  for (const element of elements) {
    if ('strftime' in element) run += element.strftime;
    else {
      flush();
      texts.push(element.sql(operand));
    }
  }
  flush();
  // An empty format still yields NULL for NULL.
  return texts.length === 0 ? `left(CAST(${operand.value} AS VARCHAR), 0)` : `(${texts.join(' || ')})`;
}

/** `%Y`, `%E3S`, `%Om` … or any other single character. */
const token = /%(E(?:[0-9*]S|4Y|[zYyCcXx])|O[deHImMSUuVWwy]|[^EO])|[\s\S]/g;

function parseFormat(node: Node, format: string, type: ScalarName): readonly Element[] {
  return [...format.matchAll(token)].flatMap(([text, name]) => {
    if (name === undefined) return [literal(text)];
    if (/^[-_0-9^#J]/.test(name)) throw new Unsupported(node, `the format element ${text} is not supported`);
    return elements(name, type) ?? [literal(text)];
  });
}

const literal = (text: string): Element => ({ strftime: text.replaceAll('%', '%%') });

/** Undefined if the element does not apply to the type: it is then output literally. */
function elements(name: string, type: ScalarName): readonly Element[] | undefined {
  if (name.startsWith('O') || /^E[yCcXxY]$/.test(name)) return elements(name.slice(1), type);
  const composite = composites[name];
  if (composite !== undefined) {
    const parts = [...composite.matchAll(token)].map(([text, part]) =>
      part === undefined ? [literal(text)] : elements(part, type),
    );
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  if (name in neutralElements) return neutralElements[name];
  if (type !== 'TIME' && name in dateElements) return dateElements[name];
  if (type !== 'DATE' && name in clockElements) return clockElements[name];
  const fraction = type === 'DATE' ? null : /^E(\d)S$/.exec(name);
  if (fraction) return secondsWith(Number(fraction[1]));
  if ((type === 'DATETIME' || type === 'TIMESTAMP') && name === 's') return epochSeconds;
  return type === 'TIMESTAMP' ? zoneElements[name] : undefined;
}

const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  x: '%m/%d/%y',
};

const strftime = (text: string): readonly Element[] => [{ strftime: text }];
const expression = (sql: (civilText: string) => string): readonly Element[] => [
  { sql: (operand) => sql(operand.civil) },
];

const neutralElements: Readonly<Record<string, readonly Element[]>> = {
  '%': strftime('%%'),
  n: strftime('\n'),
  t: strftime('\t'),
};

const dateElements: Readonly<Record<string, readonly Element[]>> = {
  A: strftime('%A'),
  a: strftime('%a'),
  B: strftime('%B'),
  b: strftime('%b'),
  C: expression((civilText) => `CAST(extract(year FROM ${civilText}) // 100 AS VARCHAR)`),
  d: strftime('%d'),
  E4Y: strftime('%Y'),
  e: expression((civilText) => `lpad(CAST(extract(day FROM ${civilText}) AS VARCHAR), 2, ' ')`),
  G: expression((civilText) => `CAST(extract(isoyear FROM ${civilText}) AS VARCHAR)`),
  g: expression((civilText) => `lpad(CAST(extract(isoyear FROM ${civilText}) % 100 AS VARCHAR), 2, '0')`),
  h: strftime('%b'),
  j: strftime('%j'),
  m: strftime('%m'),
  Q: expression((civilText) => `CAST(extract(quarter FROM ${civilText}) AS VARCHAR)`),
  U: strftime('%U'),
  u: strftime('%u'),
  V: strftime('%V'),
  W: strftime('%W'),
  w: strftime('%w'),
  // strftime pads the year with zeros.
  Y: expression((civilText) => `CAST(extract(year FROM ${civilText}) AS VARCHAR)`),
  y: strftime('%y'),
};

const clockElements: Readonly<Record<string, readonly Element[]>> = {
  'E*S': [
    { strftime: '%S' },
    ...expression((civilText) => `rtrim(rtrim(strftime(${civilText}, '.%f'), '0'), '.')`),
  ],
  H: strftime('%H'),
  I: strftime('%I'),
  k: expression((civilText) => `lpad(CAST(extract(hour FROM ${civilText}) AS VARCHAR), 2, ' ')`),
  l: expression((civilText) => `lpad(ltrim(strftime(${civilText}, '%I'), '0'), 2, ' ')`),
  M: strftime('%M'),
  P: expression((civilText) => `lower(strftime(${civilText}, '%p'))`),
  p: strftime('%p'),
  S: strftime('%S'),
};

const secondsWith = (digits: number): readonly Element[] =>
  digits === 0
    ? strftime('%S')
    : [{ strftime: '%S.' }, ...expression((civilText) => `left(strftime(${civilText}, '%f000'), ${digits})`)];

const epochSeconds: readonly Element[] = [
  { sql: ({ value }) => `CAST(bq.floor_to(epoch_us(${value}), 1000000) // 1000000 AS VARCHAR)` },
];

const zone =
  (macro: string) =>
  ({ value, civil: civilText }: TimeOperand) =>
    `bq.${macro}(epoch_us(${civilText}) - epoch_us(${value}))`;

const zoneElements: Readonly<Record<string, readonly Element[]>> = {
  Ez: [{ sql: zone('offset_with_colon') }],
  Z: [{ sql: zone('zone_name') }],
  z: [{ sql: zone('offset_text') }],
};

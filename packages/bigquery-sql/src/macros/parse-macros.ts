import { arrayOf, nullType, type ScalarName, scalar, type Type, unknown } from '../types.ts';

export interface MacroParameter {
  readonly name: string;
  /** Undefined if any type is accepted. */
  readonly type: Type | undefined;
}

/** One line of the macro files: a BigQuery function, or one of its signatures. */
export interface Macro {
  /** BigQuery's name in lower case, followed by the date part if it takes one: `date_diff_week_monday`. */
  readonly name: string;
  readonly parameters: readonly MacroParameter[];
  readonly body: string;
  resultType(args: readonly Type[]): Type;
  /** True if it returns NULL exactly when an argument is NULL; written as `strict` after the type of the result. */
  readonly isStrict: boolean;
  /** Why this signature of BigQuery is unsupported; written as `-- unsupported: reason`. */
  readonly unsupported: string | undefined;
  /** The DuckDB name of this signature. */
  readonly callee: string;
}

const linePattern = /^create macro bq\.(\w+)\((.*?)\) as (.*); -- (.+?)( strict)?$/;

/**
 * Parses lines of the form `create macro bq.name(a type, b) as body; -- result type strict`. A line with `{a|b}` is one line
 * with `a` and one with `b`; its other lists go along, and `{}` is what the first list is.
 */
export function parseMacros(lines: readonly string[]): ReadonlyMap<string, readonly Macro[]> {
  const parsed = lines
    .filter((line) => line !== '' && !line.startsWith('--'))
    .flatMap(alternatives)
    .map((line) => {
      const [, name = '', parameters = '', body = '', result = '', strict] = linePattern.exec(line) ?? [];
      if (name === '') throw new Error(`not a macro: ${line}`);
      return { name, parameters: splitParameters(parameters), body, result, isStrict: strict !== undefined };
    });
  const byName = Map.groupBy(parsed, ({ name }) => name);
  return new Map(
    [...byName].map(([name, signatures]) => [
      name,
      signatures.map(({ parameters, body, result, isStrict }) => ({
        name,
        parameters: parameters.map(parseParameter),
        body,
        resultType: resultType(
          result,
          parameters.map((text) => parseParameter(text).name),
        ),
        isStrict,
        unsupported: /^unsupported: (.*)$/.exec(result)?.[1],
        callee: signatures.length === 1 ? `bq.${name}` : `bq."${name}(${parameters.join(', ')})"`,
      })),
    ]),
  );
}

const list = /\{(\w+(?:\|\w+)+)\}/g;

function alternatives(line: string): readonly string[] {
  const [first] = [...line.matchAll(list)].map(([, members = '']) => members.split('|'));
  if (first === undefined) return [line];
  return first.map((member, at) =>
    line.replace(list, (_, members: string) => members.split('|')[at] ?? '').replaceAll('{}', member),
  );
}

const splitParameters = (text: string): readonly string[] =>
  text.split(/, (?![^(]*\))/).filter((part) => part !== '');

function parseParameter(text: string): MacroParameter {
  const [name = '', ...type] = text.split(' ');
  return { name, type: type.length === 0 ? undefined : parseType(type.join(' ')) };
}

const scalars: Readonly<Record<string, ScalarName>> = {
  bigint: 'INT64',
  double: 'FLOAT64',
  'decimal(38,9)': 'NUMERIC',
  bignum: 'BIGNUMERIC',
  boolean: 'BOOL',
  varchar: 'STRING',
  blob: 'BYTES',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'DATETIME',
  timestamptz: 'TIMESTAMP',
  interval: 'INTERVAL',
  json: 'JSON',
};

function parseType(text: string): Type {
  if (text === 'any') return unknown;
  if (text.endsWith('[]')) return arrayOf(parseType(text.slice(0, -2)));
  const name = scalars[text];
  if (name === undefined) throw new Error(`not a type: ${text}`);
  return scalar(name);
}

/** Parses the result type: a type, a parameter's name for that parameter's type, or `element of` a parameter. */
function resultType(text: string, names: readonly string[]): Macro['resultType'] {
  if (text.startsWith('unsupported: ')) return () => unknown;
  const [, of = '', name = '', suffix = ''] = /^(element of )?(\w+)(\[\])?$/.exec(text) ?? [];
  const index = names.indexOf(name);
  if (index < 0) {
    const type = parseType(text);
    return () => type;
  }
  return (args) => {
    const arg = args[index] ?? unknown;
    if (of !== '') return arg.kind === 'array' ? arg.element : unknown;
    if (arg.kind === 'null') return nullType;
    return suffix === '' ? arg : arrayOf(arg);
  };
}

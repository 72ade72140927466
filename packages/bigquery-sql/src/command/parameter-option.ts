import { foldName } from '@querygate/text';
import { compile } from '../compile.ts';
import { parseInterval } from '../macros/host/intervals.ts';
import { ProblemError } from '../problem.ts';
import { type ParameterPlace, parameterPlaces } from '../syntax/named-parameters.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { SyntaxProblem } from '../syntax/syntax-problem.ts';

/** A command whose arguments are invalid. */
export function commandError(message: string): ProblemError {
  return new ProblemError('The command has problems', [{ message }]);
}

/** A parameter as a command line gives it. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  /** The value as a literal, if the parameter is not a STRING. */
  readonly literal: string | undefined;
}

/** One value of a parameter, as it was given. */
interface GivenValue {
  readonly text: string;
  readonly name: string;
  readonly type: string;
  readonly isList: boolean;
  readonly value: string;
}

/**
 * Parses `name=value` and `name:TYPE=value`. A name that is given several times is an ARRAY of its values, and so is one of type
 * `ARRAY<TYPE>`.
 *
 * @throws ProblemError
 */
export function parseParameters(texts: readonly string[]): readonly Parameter[] {
  const groups = Map.groupBy(texts.map(parseValue), ({ name }) => foldName(name));
  return [...groups.values()].map(([first, ...others]) => {
    if (first === undefined) throw new Error('a group has a member');
    const other = others.find(({ type }) => type !== first.type);
    if (other !== undefined)
      throw commandError(
        `-p: ${first.name} is ${first.type} and ${other.type}; all values of a list have one type`,
      );
    const { name, type, value } = first;
    if (others.length === 0 && !first.isList)
      return { name, value, type, literal: type === 'STRING' ? undefined : literalOf(first) };
    const isEmpty = others.length === 0 && value === '';
    const elements = isEmpty ? [] : [first, ...others].map(literalOf);
    return { name, value, type, literal: `ARRAY<${type}>[${elements.join(', ')}]` };
  });
}

function parseValue(text: string): GivenValue {
  const [, name, list, element, scalar = 'STRING', value = ''] =
    /^([a-z_]\w*)(?::\s*(?:(ARRAY)\s*<\s*(\w+)\s*>|(\w+))\s*)?=([\s\S]*)$/i.exec(text) ?? [];
  if (name === undefined) {
    throw commandError(
      `-p: got ${JSON.stringify(text)}; must be name=value, name:TYPE=value or name:ARRAY<TYPE>=value`,
    );
  }
  return { text, name, type: (element ?? scalar).toUpperCase(), isList: list !== undefined, value };
}

/** @throws ProblemError if the value is not of the type */
function literalOf({ text, type, value }: GivenValue): string {
  const literal = literalText(type, value);
  if (literal !== undefined && succeeds(() => requireValue(type, value, literal))) return literal;
  const reason = types.includes(type)
    ? `${JSON.stringify(value)} is not a value of type ${type}`
    : `${type} is not one of ${types.join(', ')}`;
  throw commandError(`-p: got ${JSON.stringify(text)}; ${reason}`);
}

const types: readonly string[] = [
  ...['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'BOOL', 'BYTES'],
  ...['DATE', 'TIME', 'DATETIME', 'TIMESTAMP', 'INTERVAL', 'JSON'],
];

function succeeds(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}

/** @throws Error if a text, which the literal casts when it runs, or the literal itself is not of the type */
function requireValue(type: string, value: string, literal: string): void {
  if (type === 'INTERVAL') parseInterval(value);
  if (castForms[type]?.test(value) === false) throw new Error(`not of type ${type}`);
  compile({ sql: `SELECT ${literal}`, source: { file: '-p', line: 1 } }, []);
}

const castForms: Readonly<Record<string, RegExp>> = {
  FLOAT64: /^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x[\da-f]+|inf(?:inity)?|nan)\s*$/i,
  BYTES: /^\s*(?:(?:[A-Za-z0-9+/]\s*){4})*(?:(?:[A-Za-z0-9+/]\s*){2,3}(?:=\s*){0,2})?$/,
};

/** The value as BigQuery SQL; undefined if it is not of the type. */
function literalText(type: string, value: string): string | undefined {
  const quoted = `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  switch (type) {
    case 'STRING':
      return quoted;
    case 'INT64':
      if (!/^-?\d+$/.test(value)) return undefined;
      return value.startsWith('-') ? `(${value})` : value;
    case 'BOOL':
      return /^(true|false)$/i.test(value) ? value.toUpperCase() : undefined;
    case 'BYTES':
      return `FROM_BASE64(${quoted})`;
    case 'FLOAT64':
      if (/\d/.test(value) && Math.abs(Number(value)) === Number.POSITIVE_INFINITY) return undefined;
      // Some places take a literal only.
      if (/^\d+$/.test(value)) return `${value}.0`;
      return /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value) ? value : `CAST(${quoted} AS ${type})`;
    case 'INTERVAL':
      return `CAST(${quoted} AS ${type})`;
    case 'NUMERIC':
    case 'BIGNUMERIC':
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
    case 'JSON':
      return `${type} ${quoted}`;
    default:
      return undefined;
  }
}

/** The parameters that stay in the SQL, with their values. */
export const stringParameters = (parameters: readonly Parameter[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parameters.flatMap(({ name, literal, value }) => (literal === undefined ? [[name, value]] : [])),
  );

interface Replacement {
  readonly line: number;
  /** Where the literal begins in the new text, from 1. */
  readonly column: number;
  readonly growth: number;
}

/** Replaces the parameters that are not STRINGs by literals; the others stay, and so does a text that is not SQL. */
export function applyParameters(sql: string, parameters: readonly Parameter[]) {
  const given = new Map(parameters.map((parameter) => [foldName(parameter.name), parameter]));
  const replacements: Replacement[] = [];
  let growth = 0;
  let replaced = '';
  let end = 0;
  for (const { node, written } of placesIn(sql)) {
    const { literal, type } = given.get(foldName(node.name.name)) ?? {};
    if (literal === undefined || type === undefined) continue;
    const text = written(literal, type);
    const before = sql.slice(0, node.start).split('\n');
    const line = before.length;
    if (replacements.at(-1)?.line !== line) growth = 0;
    const change = text.length - (node.end - node.start);
    replacements.push({ line, column: (before.at(-1)?.length ?? 0) + 1 + growth, growth: change });
    growth += change;
    replaced += sql.slice(end, node.start) + text;
    end = node.end;
  }
  return {
    sql: replaced + sql.slice(end),
    originalColumn: (line: number, column: number) =>
      replacements
        .filter((replacement) => replacement.line === line && replacement.column < column)
        .reduce((original, { growth }) => original - growth, column),
  };
}

function placesIn(sql: string): readonly ParameterPlace[] {
  try {
    return parameterPlaces(parseQuery(sql));
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}

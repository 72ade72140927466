import { commandError } from '../arguments.ts';
import { outsideLiterals } from './tokens.ts';

export interface Parameter {
  readonly name: string;
  readonly value: string;
  /** The value as a literal, if the parameter is not a STRING. */
  readonly literal: string | undefined;
}

/** Parses `name=value` and `name:TYPE=value`. @throws StartError */
export function parseParameter(text: string): Parameter {
  const [, name, type = 'STRING', value = ''] = /^([a-z_]\w*)(?::\s*(\w+)\s*)?=([\s\S]*)$/i.exec(text) ?? [];
  if (name === undefined) {
    throw commandError(`-p: got ${JSON.stringify(text)}; must be name=value or name:TYPE=value`);
  }
  if (type.toUpperCase() === 'STRING') return { name, value, literal: undefined };
  const literal = literalOf(type.toUpperCase(), value);
  if (literal === undefined) {
    throw commandError(
      `-p: got ${JSON.stringify(text)}; ${JSON.stringify(value)} is not a value of type ${type}`,
    );
  }
  return { name, value, literal };
}

/** The value as BigQuery SQL; undefined if it is not of the type. */
function literalOf(type: string, value: string): string | undefined {
  const quoted = `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  switch (type) {
    case 'INT64':
      if (!/^-?\d+$/.test(value)) return undefined;
      return value.startsWith('-') ? `(${value})` : value;
    case 'BOOL':
      return /^(true|false)$/i.test(value) ? value.toUpperCase() : undefined;
    case 'BYTES':
      return `FROM_BASE64(${quoted})`;
    case 'FLOAT64':
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

interface Replacement {
  readonly line: number;
  /** Where the literal begins in the new text, from 1. */
  readonly column: number;
  readonly growth: number;
}

/** Replaces the parameters that are not STRINGs by literals; the others stay. */
export function applyParameters(sql: string, parameters: readonly Parameter[]) {
  const literals = new Map<string, string>(
    parameters.flatMap(({ name, literal }) =>
      literal === undefined ? [] : [[`@${name.toLowerCase()}`, literal] as const],
    ),
  );
  const replacements: Replacement[] = [];
  let growth = 0;
  const replaced = sql.replace(outsideLiterals('@\\w+'), (token: string, ...rest: unknown[]) => {
    const literal = literals.get(token.toLowerCase());
    if (literal === undefined) return token;
    const offset = rest.find((part) => typeof part === 'number') ?? 0;
    const before = sql.slice(0, offset).split('\n');
    const line = before.length;
    if (replacements.at(-1)?.line !== line) growth = 0;
    const change = literal.length - token.length;
    replacements.push({ line, column: (before.at(-1)?.length ?? 0) + 1 + growth, growth: change });
    growth += change;
    return literal;
  });
  return {
    sql: replaced,
    originalColumn: (line: number, column: number) =>
      replacements
        .filter((replacement) => replacement.line === line && replacement.column < column)
        .reduce((original, { growth }) => original - growth, column),
  };
}

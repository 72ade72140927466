import { compile } from '../../src/compile.ts';
import type { TableSchema } from '../../src/table-schema.ts';
import { describeType } from '../../src/types.ts';
import { type Case, isQuery, loadCases } from '../cases.ts';
import { operandsOf } from '../null-arguments.ts';

/** An expression of the cases that can be inside itself, in place of one of its operands. */
export interface NestedCall {
  readonly subject: string;
  /** The expression, with `…` in place of the operand. */
  readonly shown: string;
  /** A query with the expression inside itself so many times; the innermost operand depends on the row. */
  readonly sql: (depth: number) => string;
}

/** The table of the queries. */
export const flags: TableSchema = {
  name: 'flags',
  fields: [{ name: 'flag', type: 'BOOL', mode: 'NULLABLE' }],
};

/**
 * Each function and operator of the cases, inside itself in place of one of its operands. The result is converted where
 * the operand has another type. Of each subject, one operand of each type is tried.
 */
export function nestedCalls(): readonly NestedCall[] {
  const known = new Set<string>();
  const templates = Map.groupBy(loadCases(), ({ template }) => template);
  return [...templates.values()].flatMap(spread).flatMap((original) => {
    const { sql, subject, wrong, template } = original;
    if (wrong || isQuery(template.text)) return [];
    return operandsIn(sql).flatMap(({ place, type }) => {
      const key = `${subject} ${type}`;
      const nested = known.has(key) ? undefined : nestedAt(sql, place, type);
      if (nested === undefined) return [];
      known.add(key);
      return [{ subject, ...nested }];
    });
  });
}

/** Two cases of a line, which may differ in the type of their result. */
const spread = (cases: readonly Case[]): readonly Case[] => {
  const [first] = cases;
  const middle = cases[Math.floor(cases.length / 2)];
  return first && middle && first !== middle ? [first, middle] : cases.slice(0, 1);
};

function nestedAt(
  sql: string,
  place: { readonly start: number; readonly end: number },
  type: string,
): Omit<NestedCall, 'subject'> | undefined {
  const before = sql.slice('select '.length, place.start);
  const after = sql.slice(place.end);
  const innermost = `if(flag, ${sql.slice(place.start, place.end)}, null)`;
  const once = `${before}${innermost}${after}`;
  const result = typeOf(once);
  if (result === undefined) return undefined;
  const convert = conversions(result, type).find((wrap) => typeOf(wrap(once)) === type);
  if (convert === undefined || typeOf(`${before}${convert(once)}${after}`) !== result) return undefined;
  const nest = (depth: number): string =>
    depth === 1 ? once : `${before}${convert(nest(depth - 1))}${after}`;
  return { shown: `${before}…${after}`, sql: (depth) => `select ${nest(depth)} as v from flags` };
}

/** Ways from a value of one type to one of another. */
function conversions(from: string, to: string): readonly ((value: string) => string)[] {
  const text =
    from === 'JSON' || /^(STRUCT|RANGE)/.test(from)
      ? (value: string) => `to_json_string(${value})`
      : (value: string) => `cast(${value} as string)`;
  const [, elementFrom] = /^ARRAY<(.*)>$/.exec(from) ?? [];
  const [, elementTo] = /^ARRAY<(.*)>$/.exec(to) ?? [];
  if (from === to) return [(value) => value];
  if (elementFrom !== undefined)
    return conversions(elementFrom, to).map((convert) => (value) => convert(`${value}[safe_offset(0)]`));
  if (elementTo !== undefined)
    return conversions(from, elementTo).map((convert) => (value) => `[${convert(value)}]`);
  if (to === 'JSON') return [(value) => `to_json(${value})`];
  return [(value) => `cast(${value} as ${to})`, (value) => `safe_cast(${text(value)} as ${to})`];
}

function typeOf(expression: string): string | undefined {
  try {
    const [column] = compileOne(`select ${expression} as v from flags`).columns;
    return column && describeType(column.type);
  } catch {
    return undefined;
  }
}

function operandsIn(sql: string): ReturnType<typeof operandsOf> {
  try {
    return operandsOf(sql, []);
  } catch {
    return [];
  }
}

const compileOne = (sql: string) => compile({ sql, source: { file: 'case', line: 1 } }, [flags]);

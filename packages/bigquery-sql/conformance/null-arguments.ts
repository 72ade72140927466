import { compile } from '../src/compile.ts';
import { ProblemError } from '../src/problem.ts';
import type * as Syntax from '../src/syntax/nodes.ts';
import { childrenOf } from '../src/syntax/walk.ts';
import { describeType, duckdbType, type Type } from '../src/types.ts';
import { type Case, isQuery } from './cases.ts';
import type { Verdict } from './judge.ts';
import type { Table } from './table.ts';

/**
 * Cases with NULL for one operand: of each function and operator that a case uses, each operand in turn, once as a bare
 * NULL and once as a NULL of its type. Operands of the same types are tried once. The operands of a case that fails when it is
 * run are columns: one that is wrong does not matter in a row where another one is NULL.
 */
export function nullCases(verdicts: readonly Verdict[], tables: readonly Table[]): readonly Case[] {
  const known = new Set<string>();
  return verdicts.flatMap(({ case: original, verdict, ours }) => {
    if (verdict !== 'agrees' || original.sql !== original.referenceSql) return [];
    const fails = 'error' in ours;
    if (fails && (ours.stage !== 'evaluation' || isQuery(original.template.text))) return [];
    return operandsOf(original.sql, tables).flatMap((operand) =>
      [...(fails ? [] : ['null']), `cast(null as ${operand.type})`].flatMap((text) => {
        const key = `${fails} ${operand.keyWith(text)}`;
        if (known.has(key)) return [];
        known.add(key);
        const sql = fails
          ? overRow(original.sql, operand, text)
          : replaced(original.sql, [[operand.place, text]]);
        if (endsEvaluator.test(sql) || (fails && mustBeLiteral(original.sql, operand, tables))) return [];
        return [{ ...original, sql, referenceSql: sql, inputs: [], hasTies: true }];
      }),
    );
  });
}

/** A NULL array here ends the evaluator's process. */
const endsEvaluator = /json_array_(append|insert)\(.* cast\(null as array/i;

/** True if one of the operands may not be a column, as most formats of dates. */
function mustBeLiteral(sql: string, operand: Operand, tables: readonly Table[]): boolean {
  const own = sql.slice(operand.place.start, operand.place.end);
  try {
    compile({ sql: overRow(sql, operand, own), source: { file: 'case', line: 1 } }, tables);
    return false;
  } catch (error) {
    if (error instanceof ProblemError) return true;
    throw error;
  }
}

/** The query over a row of the operands. */
function overRow(sql: string, { place, all }: Operand, text: string): string {
  const columns = all.map((one, at) => `${one === place ? text : sql.slice(one.start, one.end)} as c${at}`);
  const read = all.map((one, at) => [one, `input.c${at}`] as const);
  return `${replaced(sql, read)} from unnest([struct(${columns.join(', ')})]) as input`;
}

/** A text with others at some of its places, which are in order. */
const replaced = (sql: string, places: readonly (readonly [Syntax.Located, string])[]): string =>
  places.reduceRight((text, [{ start, end }, other]) => text.slice(0, start) + other + text.slice(end), sql);

interface Operand {
  readonly place: Syntax.Located;
  /** The operands of the same operation, in order. */
  readonly all: readonly Syntax.Located[];
  /** In BigQuery's syntax. */
  readonly type: string;
  /** The operation with the types of its operands, and a text in place of this one. */
  readonly keyWith: (text: string) => string;
}

export function operandsOf(sql: string, tables: readonly Table[]): readonly Operand[] {
  const types = new Map<Syntax.Node, Type>();
  compile({ sql, source: { file: 'case', line: 1 } }, tables, {
    onExpression: (node, type) => types.set(node, type),
  });
  return [...types.keys()].flatMap((node) => {
    const operands = childrenOf(node).filter((child) => types.has(child));
    const typesOfAll = operands.map((operand) => describeType(types.get(operand) as Type));
    return operands.flatMap((place, at) => {
      const type = types.get(place) as Type;
      if (duckdbType(type) === undefined || place.kind === 'NullLiteral') return [];
      const keyWith = (text: string) =>
        `${nameOf(node, operands, sql)} (${typesOfAll.with(at, text).join(', ')})`;
      return [{ place, all: operands, type: describeType(type), keyWith }];
    });
  });
}

/** The text of an operation without its operands: `FunctionCall date_add(…, interval … day)`. */
function nameOf(node: Syntax.Node, operands: readonly Syntax.Node[], sql: string): string {
  const starts = [node.start, ...operands.map(({ end }) => end)];
  const ends = [...operands.map(({ start }) => start), node.end];
  return `${node.kind} ${starts.map((start, at) => sql.slice(start, ends[at])).join('…')}`;
}

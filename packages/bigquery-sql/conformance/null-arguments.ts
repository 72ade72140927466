import { compile } from '../src/compile.ts';
import type * as Syntax from '../src/syntax/nodes.ts';
import { childrenOf } from '../src/syntax/walk.ts';
import { describeType, duckdbType, type Type } from '../src/types.ts';
import type { Case } from './cases.ts';
import type { Verdict } from './judge.ts';
import type { Table } from './table.ts';

/**
 * Cases with NULL for one operand: of each function and operator that a case uses, each operand in turn, once as a bare
 * NULL and once as a NULL of its type. Operands of the same types are tried once.
 */
export function nullCases(verdicts: readonly Verdict[], tables: readonly Table[]): readonly Case[] {
  const known = new Set<string>();
  return verdicts.flatMap(({ case: original, verdict, reference }) => {
    if (verdict !== 'agrees' || 'error' in reference || original.sql !== original.referenceSql) return [];
    return operandsOf(original.sql, tables).flatMap(({ place, type, keyWith }) =>
      ['null', `cast(null as ${type})`].flatMap((text) => {
        const key = keyWith(text);
        if (known.has(key)) return [];
        known.add(key);
        const sql = `${original.sql.slice(0, place.start)}${text}${original.sql.slice(place.end)}`;
        if (endsEvaluator.test(sql)) return [];
        return [{ ...original, sql, referenceSql: sql, inputs: [], hasTies: true }];
      }),
    );
  });
}

/** A NULL array here ends the evaluator's process. */
const endsEvaluator = /json_array_(append|insert)\(.* cast\(null as array/i;

interface Operand {
  readonly place: Syntax.Located;
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
      return [{ place, type: describeType(type), keyWith }];
    });
  });
}

/** The text of an operation without its operands: `FunctionCall date_add(…, interval … day)`. */
function nameOf(node: Syntax.Node, operands: readonly Syntax.Node[], sql: string): string {
  const starts = [node.start, ...operands.map(({ end }) => end)];
  const ends = [...operands.map(({ start }) => start), node.end];
  return `${node.kind} ${starts.map((start, at) => sql.slice(start, ends[at])).join('…')}`;
}

import type { CaseExpr } from 'sql-parser-cst';
import { commonSupertype, convert } from '../coercion.ts';
import type { Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { duckdbType } from '../types.ts';
import { compare, requireBool } from './comparison.ts';

export const caseExpr: Rule<CaseExpr> = (node, scope, tr) => {
  const subject = node.expr && tr.expr(node.expr, scope);
  const branches = node.clauses.map((clause) => {
    const result = tr.expr(clause.result, scope);
    if (clause.type === 'case_else') return { keyword: 'ELSE', result, known: true };
    const condition = tr.expr(clause.condition, scope);
    if (!subject) requireBool(clause.condition, condition, 'WHEN');
    // The subject is repeated in each comparison: NaN and literals that take its type need one of their own.
    const test = subject ? compare(clause.condition, '=', subject, condition) : condition;
    return { keyword: `WHEN ${test.text} THEN`, result, known: test.known };
  });
  const type = commonSupertype(
    node,
    'CASE',
    branches.map(({ result }) => result),
  );
  const possible = reachableBranches(branches);
  const texts = possible.map(({ keyword, result }) => `${keyword} ${convert(result, type)}`);
  const [only, another] = possible;
  if (only?.keyword === 'ELSE' && !another) {
    const text = convert(only.result, type);
    const { timeExpression } = only.result;
    return {
      text: `(${text})`,
      type,
      ...(text === only.result.text && timeExpression && { timeExpression }),
    };
  }
  return {
    text:
      texts.length === 0 ? `CAST(NULL AS ${duckdbType(type) ?? 'VARCHAR'})` : `CASE ${texts.join(' ')} END`,
    type,
  };
};

interface Branch {
  readonly keyword: string;
  readonly result: Sql;
  readonly known: Sql['known'];
}

/** The branches that are not known to be skipped. */
function reachableBranches(branches: readonly Branch[]): readonly Branch[] {
  const possible = branches.filter(({ known }) => known !== false);
  const takenIndex = possible.findIndex(({ known }) => known === true);
  if (takenIndex < 0) return possible;
  return possible
    .slice(0, takenIndex + 1)
    .map((branch, index) => (index === takenIndex ? { ...branch, keyword: 'ELSE' } : branch));
}

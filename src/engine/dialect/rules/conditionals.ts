import type { CaseExpr } from 'sql-parser-cst';
import type { Rule } from '../translator.ts';
import { converted } from './coercion.ts';
import { common } from './forms.ts';
import { compare, requireBool } from './operators.ts';

export const caseExpr: Rule<CaseExpr> = (node, scope, to) => {
  const subject = node.expr && to.expr(node.expr, scope);
  const branches = node.clauses.map((clause) => {
    const result = to.expr(clause.result, scope);
    if (clause.type === 'case_else') return { lead: 'ELSE', result };
    const condition = to.expr(clause.condition, scope);
    if (!subject) requireBool(clause.condition, condition, 'WHEN');
    // The subject is written again: NaN, and literals that follow its type, need a comparison of their own.
    const test = subject ? compare(clause.condition, '=', subject, condition) : condition;
    return { lead: `WHEN ${test.text} THEN`, result };
  });
  const type = common(
    node,
    'CASE',
    branches.map(({ result }) => result),
  );
  const texts = branches.map(({ lead, result }) => `${lead} ${converted(result, type)}`);
  return { text: `CASE ${texts.join(' ')} END`, type };
};

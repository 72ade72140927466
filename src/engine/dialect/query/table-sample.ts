import type { TablesampleExpr } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { Unsupported } from '../unsupported.ts';
import { type FromItem, fromItem } from './from.ts';

/** `t TABLESAMPLE SYSTEM (10 PERCENT)`. */
export function tableSample(node: TablesampleExpr, scope: Scope, tr: Translator): FromItem {
  const { left, method, args, repeatable } = node;
  const [share, another] = args.expr.items;
  const isSystem = method.type === 'tablesample_method' && method.methodKw.name === 'SYSTEM';
  const isShare = share?.type === 'tablesample_percent' && share.percent.type === 'number_literal';
  if (repeatable || another || !isSystem || !isShare)
    throw new Unsupported(node, 'TABLESAMPLE SYSTEM (number PERCENT) is supported only');
  const sampled = fromItem(left, scope, tr);
  const percent = share.percent.type === 'number_literal' ? share.percent.text : '';
  return {
    ...sampled,
    unnestTargets: [],
    text: () => `${sampled.text()} TABLESAMPLE SYSTEM (${percent} PERCENT)`,
  };
}

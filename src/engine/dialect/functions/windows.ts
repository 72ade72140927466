import type { FrameBound, FrameClause, FuncCall, WindowClause, WindowDefinition } from 'sql-parser-cst';
import { orderText } from '../expr/order-by.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** ` OVER (…)`; empty without OVER. */
export function overText(node: FuncCall, scope: Scope, tr: Translator): string {
  if (!node.over) return '';
  const { window } = node.over;
  if (window.type === 'identifier') return ` OVER ${quote(window.name)}`;
  return ` OVER (${definition(window.expr, scope, tr)})`;
}

/** ` WINDOW w AS (…)`. */
export function windowText(node: WindowClause | undefined, scope: Scope, tr: Translator): string {
  if (!node) return '';
  const windows = node.namedWindows.items.map(
    ({ name, window }) => `${quote(name.name)} AS (${definition(window.expr, scope, tr)})`,
  );
  return ` WINDOW ${windows.join(', ')}`;
}

function definition(node: WindowDefinition, scope: Scope, tr: Translator): string {
  const { baseWindowName, partitionBy, orderBy, frame } = node;
  const partition = partitionBy?.specifications.items.map((item) => tr.expr(item, scope).text).join(', ');
  return [
    baseWindowName && quote(baseWindowName.name),
    partition && `PARTITION BY ${partition}`,
    orderBy && orderText(orderBy, scope, tr),
    frame && frameText(frame, scope, tr),
  ]
    .filter((part) => part)
    .join(' ');
}

function frameText({ unitKw, extent, exclusion }: FrameClause, scope: Scope, tr: Translator): string {
  if (exclusion) throw new Unsupported(exclusion, 'EXCLUDE is not supported');
  if (extent.type !== 'frame_between') return `${unitKw.name} ${bound(extent, scope, tr)}`;
  const [begin, end] = [extent.begin, extent.end].map((edge) => bound(edge, scope, tr));
  return `${unitKw.name} BETWEEN ${begin} AND ${end}`;
}

function bound(node: FrameBound, scope: Scope, tr: Translator): string {
  if (node.type === 'frame_bound_current_row') return 'CURRENT ROW';
  const amount = node.expr.type === 'frame_unbounded' ? 'UNBOUNDED' : tr.expr(node.expr, scope).text;
  return `${amount} ${node.type === 'frame_bound_preceding' ? 'PRECEDING' : 'FOLLOWING'}`;
}

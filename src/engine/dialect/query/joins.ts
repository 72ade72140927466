import type { JoinExpr } from 'sql-parser-cst';
import { compare, operatorName, requireBool } from '../expr/comparison.ts';
import { columnsIn, type FromItem, type Range, type Scope, type Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { Unsupported } from '../unsupported.ts';
import { asUnnest, type Unnest, within } from './from-item.ts';
import { unnestInPlace, unnestItem } from './unnest.ts';

type Kind = 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';

export function join(node: JoinExpr, scope: Scope, tr: Translator): FromItem {
  const left = tr.from(node.left, scope);
  const kind = kindOf(node);
  const rightScope = within(scope, left);
  const unnest = asUnnest(node.right, rightScope);
  if (unnest) return joinUnnest(node, kind, left, unnest, rightScope, tr);
  return joinItems(node, kind, left, tr.from(node.right, scope), '', scope, tr);
}

function kindOf({ operator, right, specification }: JoinExpr): Kind {
  const words = operatorName(operator).replace(' OUTER', '');
  switch (words) {
    case 'LEFT JOIN':
      return 'LEFT';
    case 'RIGHT JOIN':
      return 'RIGHT';
    case 'FULL JOIN':
      return 'FULL';
    case 'JOIN':
    case 'INNER JOIN':
      return specification ? 'INNER' : 'CROSS';
    case ',':
    case 'CROSS JOIN':
      return 'CROSS';
    default:
      throw new Unsupported(right, `${words} is not supported`);
  }
}

function joinUnnest(
  node: JoinExpr,
  kind: Kind,
  left: FromItem,
  unnest: Unnest,
  scope: Scope,
  tr: Translator,
): FromItem {
  const unconditional = kind === 'CROSS' || (kind === 'LEFT' && isTrue(node));
  const inPlace = unconditional ? unnestInPlace(unnest, kind === 'LEFT', left, scope, tr) : undefined;
  return inPlace ?? joinItems(node, kind, left, unnestItem(unnest, scope, tr), 'LATERAL ', scope, tr);
}

const isTrue = ({ specification }: JoinExpr) =>
  specification === undefined ||
  (specification.type === 'join_on_specification' &&
    specification.expr.type === 'boolean_literal' &&
    specification.expr.value);

function joinItems(
  node: JoinExpr,
  kind: Kind,
  left: FromItem,
  right: FromItem,
  lateral: '' | 'LATERAL ',
  scope: Scope,
  tr: Translator,
): FromItem {
  const { condition, merged } = conditionOf(node, kind, left, right, scope, tr);
  return {
    ranges: [
      ...(kind === 'RIGHT' || kind === 'FULL' ? left.ranges.map(makeNullable) : left.ranges),
      ...(kind === 'LEFT' || kind === 'FULL' ? right.ranges.map(makeNullable) : right.ranges),
    ],
    merged: [...left.merged, ...merged],
    unnestTargets: [
      ...(kind === 'RIGHT' || kind === 'FULL' ? [] : left.unnestTargets),
      ...(kind === 'LEFT' || kind === 'FULL' ? [] : right.unnestTargets),
    ],
    text: () => `${left.text()} ${kind} JOIN ${lateral}${right.text()}${condition}`,
  };
}

/** The side of an outer join that may be missing: its columns may be NULL. */
const makeNullable = (range: Range): Range => ({
  ...range,
  columns: range.columns.map(({ required: _, ...column }) => column),
});

interface Condition {
  readonly condition: string;
  readonly merged: Scope['merged'];
}

function conditionOf(
  { specification }: JoinExpr,
  kind: Kind,
  left: FromItem,
  right: FromItem,
  scope: Scope,
  tr: Translator,
): Condition {
  if (!specification) return { condition: kind === 'CROSS' ? '' : ' ON TRUE', merged: [] };
  if (specification.type === 'join_on_specification') {
    const both = { ...scope, ranges: [...left.ranges, ...right.ranges], merged: left.merged };
    const test = tr.expr(specification.expr, both);
    requireBool(specification.expr, test, 'ON');
    return { condition: ` ON ${test.text}`, merged: [] };
  }
  const pairs = specification.expr.expr.items.map((column) => {
    const [a, b] = [findColumn(left, column.name), findColumn(right, column.name)];
    if (!a || !b) throw new Unsupported(column, `USING needs exactly one column ${column.name} on each side`);
    return { name: column.name, a, b, test: compare(column, '=', a, b).text };
  });
  return {
    condition: ` ON ${pairs.map(({ test }) => test).join(' AND ')}`,
    merged: pairs.map(({ name, a, b }) => ({ name, type: a.type, text: mergedText(kind, a, b) })),
  };
}

function findColumn(item: FromItem, name: string): Sql | undefined {
  const merged = item.merged.find((column) => column.name.toLowerCase() === name.toLowerCase());
  if (merged) return merged;
  const found = item.ranges.flatMap((range) => columnsIn(range, name));
  return found.length === 1 ? found[0] : undefined;
}

/** The merged column of JOIN USING: the side that is never missing. */
function mergedText(kind: Kind, left: Sql, right: Sql): string {
  if (kind === 'FULL') return `coalesce(${left.text}, ${right.text})`;
  return kind === 'RIGHT' ? right.text : left.text;
}

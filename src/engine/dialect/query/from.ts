import type { Alias, Identifier, Node, TablesampleExpr } from 'sql-parser-cst';
import { type FromItem, findRelation, type Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { Unsupported } from '../unsupported.ts';
import { asUnnest, relationItem, unknownItem } from './from-item.ts';
import { join } from './joins.ts';
import { pivot, unpivot } from './pivot.ts';
import { unnestItem } from './unnest.ts';

/** @param scope the names to which the item may be correlated */
export function fromItem(node: Node, scope: Scope, tr: Translator): FromItem {
  const unnest = asUnnest(node, scope);
  if (unnest) return unnestItem(unnest, scope, tr);
  switch (node.type) {
    case 'join_expr':
      return join(node, scope, tr);
    case 'alias':
      return aliased(node, scope, tr);
    case 'identifier':
    case 'member_expr':
    case 'bigquery_quoted_member_expr':
      return table(node, undefined, scope, tr);
    case 'paren_expr':
      return parenthesized(node.expr, undefined, scope, tr);
    case 'tablesample_expr':
      return tableSample(node, scope, tr);
    case 'pivot_expr':
      return pivot(node, scope, tr);
    case 'unpivot_expr':
      return unpivot(node, scope, tr);
    default:
      throw new Unsupported(node, `${node.type.replaceAll('_', ' ')} is not supported in FROM`);
  }
}

function aliased(node: Alias, scope: Scope, tr: Translator): FromItem {
  const inner = node.expr as Node;
  if (node.columnAliases) throw new Unsupported(node.columnAliases, 'column aliases are not supported');
  if (inner.type === 'paren_expr') return parenthesized(inner.expr, node.alias, scope, tr);
  if (
    inner.type === 'identifier' ||
    inner.type === 'member_expr' ||
    inner.type === 'bigquery_quoted_member_expr'
  ) {
    return table(inner, node.alias, scope, tr);
  }
  throw new Unsupported(inner, `${inner.type.replaceAll('_', ' ')} is not supported in FROM`);
}

function table(node: Node, alias: Identifier | undefined, scope: Scope, tr: Translator): FromItem {
  const path = pathOf(node);
  const name = path.at(-1) ?? '';
  const relation = findRelation(scope, name);
  if (!relation) {
    return tr.attempt(
      () => {
        throw new Unsupported(node, `no table is named ${path.join('.')}`);
      },
      unknownItem(alias?.name ?? name),
    );
  }
  return relationItem(relation, alias?.name ?? name, tr);
}

/** The parts of `project.dataset.table`, quoted or not. */
function pathOf(node: Node): readonly string[] {
  switch (node.type) {
    case 'identifier':
      return node.name.split('.');
    case 'bigquery_quoted_member_expr':
      return pathOf(node.expr);
    case 'member_expr':
      return [...pathOf(node.object), ...pathOf(node.property)];
    default:
      throw new Unsupported(node, 'expected a table name');
  }
}

function parenthesized(node: Node, alias: Identifier | undefined, scope: Scope, tr: Translator): FromItem {
  if (node.type === 'select_stmt' || node.type === 'compound_select_stmt') {
    const query = tr.relation(node, scope);
    return relationItem({ ...query, text: `(${query.text})` }, alias?.name, tr);
  }
  if (node.type === 'paren_expr') return parenthesized(node.expr, alias, scope, tr);
  if (alias) throw new Unsupported(alias, 'a join in parentheses takes no alias');
  const inner = tr.from(node, scope);
  return inner.isSingle ? inner : { ...inner, text: () => `(${inner.text()})` };
}

/** `t TABLESAMPLE SYSTEM (10 PERCENT)`. */
function tableSample(node: TablesampleExpr, scope: Scope, tr: Translator): FromItem {
  const { left, method, args, repeatable } = node;
  const [share, another] = args.expr.items;
  const isSystem = method.type === 'tablesample_method' && method.methodKw.name === 'SYSTEM';
  const isShare = share?.type === 'tablesample_percent' && share.percent.type === 'number_literal';
  if (repeatable || another || !isSystem || !isShare)
    throw new Unsupported(node, 'only TABLESAMPLE SYSTEM (number PERCENT) is supported');
  const sampled = tr.from(left, scope);
  const percent = share.percent.type === 'number_literal' ? share.percent.text : '';
  return {
    ...sampled,
    unnestTargets: [],
    text: () => `${sampled.text()} TABLESAMPLE SYSTEM (${percent} PERCENT)`,
  };
}

import { parseLimit, parseOrderByItem } from '../expressions/ordering.ts';
import { parseWindowClause } from '../expressions/windows.ts';
import type { PipeAggregateItem, PipeAssignment, PipeOperator, RenamedColumn } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseWith } from './common-tables.ts';
import { parseSampleSpec, parseTableFunction } from './from-items.ts';
import { parseAliasAndOrder, parsePipeGroupBy } from './grouping.ts';
import { needsCondition, parseJoinCondition, parseJoinWords } from './joins.ts';
import { parsePivotSpec, parseUnpivotSpec } from './pivot.ts';
import { parseDistinct, parseSelectAs } from './select.ts';
import { listWithTrailingComma, parseSelectItem, parseSelectItems } from './select-items.ts';
import { parseSetOperator, startsSetOperator } from './set-operations.ts';

type Rule = (p: Parser) => PipeOperator;

/** `|> operator |> operator …`. The start of an operator is its name. */
export function parsePipes(p: Parser): readonly PipeOperator[] {
  const pipes: PipeOperator[] = [];
  while (p.accept('|>')) pipes.push(parsePipe(p));
  return pipes;
}

function parsePipe(p: Parser): PipeOperator {
  if (startsSetOperator(p)) return parsePipeSetOperation(p);
  const rule = rules.get(p.token.key);
  if (!rule && p.atOneOf(otherOperators))
    p.problem(p.start, `the pipe operator ${p.token.key} is not supported`);
  return rule ? rule(p) : p.fail('a pipe operator such as "SELECT", "WHERE" or "AGGREGATE"');
}

/** The pipe operators of GoogleSQL that do not only read, or that have no meaning for one result. */
const otherOperators: ReadonlySet<string> = new Set(
  'MATCH_RECOGNIZE EXPORT CREATE INSERT FORK TEE IF DESCRIBE STATIC_DESCRIBE ASSERT LOG RECURSIVE'.split(' '),
);

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['SELECT', parsePipeSelect],
  ['EXTEND', parsePipeExtend],
  ['SET', parsePipeSet],
  ['DROP', parsePipeDrop],
  ['RENAME', parsePipeRename],
  ['AS', parsePipeAs],
  ['WHERE', parsePipeWhere],
  ['AGGREGATE', parsePipeAggregate],
  ['DISTINCT', parsePipeDistinct],
  ['ORDER', parsePipeOrderBy],
  ['LIMIT', parsePipeLimit],
  ['JOIN', parsePipeJoin],
  ['INNER', parsePipeJoin],
  ['LEFT', parsePipeJoin],
  ['RIGHT', parsePipeJoin],
  ['FULL', parsePipeJoin],
  ['CROSS', parsePipeJoin],
  ['TABLESAMPLE', parsePipeTableSample],
  ['PIVOT', parsePipePivot],
  ['UNPIVOT', parsePipeUnpivot],
  ['CALL', parsePipeCall],
  ['WINDOW', parsePipeWindow],
  ['WITH', parsePipeWith],
]);

function parsePipeSelect(p: Parser): PipeOperator {
  const { start } = p.next();
  const distinct = parseDistinct(p);
  const as = parseSelectAs(p);
  const items = parseSelectItems(p);
  const windows = parseWindowClause(p);
  return { kind: 'PipeSelect', start, end: p.end, distinct, as, items, windows };
}

function parsePipeExtend(p: Parser): PipeOperator {
  const { start } = p.next();
  const items = parseSelectItems(p);
  const windows = parseWindowClause(p);
  return { kind: 'PipeExtend', start, end: p.end, items, windows };
}

function parsePipeSet(p: Parser): PipeOperator {
  const { start } = p.next();
  const assignments = listWithTrailingComma(p, parseAssignment);
  return { kind: 'PipeSet', start, end: p.end, assignments };
}

function parseAssignment(p: Parser): PipeAssignment {
  const column = p.name('the name of a column');
  p.expect('=');
  const expression = p.expression();
  return { kind: 'PipeAssignment', start: column.start, end: p.end, column, expression };
}

function parsePipeDrop(p: Parser): PipeOperator {
  const { start } = p.next();
  const columns = listWithTrailingComma(p, () => p.name('the name of a column'));
  return { kind: 'PipeDrop', start, end: p.end, columns };
}

function parsePipeRename(p: Parser): PipeOperator {
  const { start } = p.next();
  const columns = listWithTrailingComma(p, parseRenamedColumn);
  return { kind: 'PipeRename', start, end: p.end, columns };
}

function parseRenamedColumn(p: Parser): RenamedColumn {
  const from = p.name('the name of a column');
  p.accept('AS');
  const to = p.name('"AS" and the new name of the column');
  return { kind: 'RenamedColumn', start: from.start, end: p.end, from, to };
}

function parsePipeAs(p: Parser): PipeOperator {
  const { start } = p.next();
  const alias = p.name('a name after AS');
  return { kind: 'PipeAs', start, end: p.end, alias };
}

function parsePipeWhere(p: Parser): PipeOperator {
  const { start } = p.next();
  const condition = p.expression();
  return { kind: 'PipeWhere', start, end: p.end, condition };
}

function parsePipeAggregate(p: Parser): PipeOperator {
  const { start } = p.next();
  const items = p.at('GROUP') ? [] : listWithTrailingComma(p, parseAggregateItem);
  const { start: groupStart } = p;
  const grouped = p.accept('GROUP');
  const ordered = grouped && p.accept('AND');
  if (ordered) p.expect('ORDER');
  if (grouped) p.expect('BY', ordered ? '"BY"' : '"BY" or "AND ORDER BY"');
  const groupBy = grouped ? parsePipeGroupBy(p, groupStart) : undefined;
  return { kind: 'PipeAggregate', start, end: p.end, items, groupBy, ordered };
}

function parseAggregateItem(p: Parser): PipeAggregateItem {
  const { start } = p;
  const expression = p.expression();
  const { alias, order } = parseAliasAndOrder(p);
  return { kind: 'PipeAggregateItem', start, end: p.end, expression, alias, order };
}

function parsePipeDistinct(p: Parser): PipeOperator {
  const { start, end } = p.next();
  return { kind: 'PipeDistinct', start, end };
}

function parsePipeOrderBy(p: Parser): PipeOperator {
  const { start } = p.next();
  p.expect('BY');
  const items = listWithTrailingComma(p, parseOrderByItem);
  return { kind: 'PipeOrderBy', start, end: p.end, items };
}

function parsePipeLimit(p: Parser): PipeOperator {
  const { start } = p;
  const limit = parseLimit(p) ?? p.fail('"LIMIT"');
  return { kind: 'PipeLimit', start, end: p.end, limit };
}

function parsePipeJoin(p: Parser): PipeOperator {
  const { start } = p;
  const type = parseJoinWords(p) ?? p.fail('"JOIN"');
  const right = p.fromItem();
  const mayHaveCondition = type !== 'CROSS' && (p.at('ON') || p.at('USING'));
  const condition = mayHaveCondition ? parseJoinCondition(p) : undefined;
  if (!condition && needsCondition(type, right)) p.fail('"ON" or "USING"');
  return { kind: 'PipeJoin', start, end: p.end, type, right, condition };
}

function parsePipeSetOperation(p: Parser): PipeOperator {
  const { start } = p;
  const operator = parseSetOperator(p);
  const queries = listWithTrailingComma(p, () => {
    p.expect('(', 'a query in parentheses');
    const query = p.query();
    p.expect(')');
    return query;
  });
  return { kind: 'PipeSetOperation', start, end: p.end, ...operator, queries };
}

function parsePipeTableSample(p: Parser): PipeOperator {
  const { start } = p;
  const spec = parseSampleSpec(p);
  return { kind: 'PipeTableSample', start, end: p.end, spec };
}

function parsePipePivot(p: Parser): PipeOperator {
  const { start } = p;
  const spec = parsePivotSpec(p);
  const alias = p.alias();
  return { kind: 'PipePivot', start, end: p.end, spec, alias };
}

function parsePipeUnpivot(p: Parser): PipeOperator {
  const { start } = p;
  const spec = parseUnpivotSpec(p);
  const alias = p.alias();
  return { kind: 'PipeUnpivot', start, end: p.end, spec, alias };
}

function parsePipeCall(p: Parser): PipeOperator {
  const { start } = p.next();
  const call = parseTableFunction(p);
  return { kind: 'PipeCall', start, end: p.end, call };
}

function parsePipeWindow(p: Parser): PipeOperator {
  const { start } = p.next();
  const items = listWithTrailingComma(p, parseSelectItem);
  return { kind: 'PipeWindow', start, end: p.end, items };
}

function parsePipeWith(p: Parser): PipeOperator {
  const { start } = p;
  return { kind: 'PipeWith', start, with: parseWith(p), end: p.end };
}

import { foldName } from '@querygate/text';
import { parseNamedArgument } from '../expressions/calls.ts';
import { continuesQuery, startsQuery } from '../expressions/parentheses.ts';
import { parseTablePath } from '../names.ts';
import type {
  DerivedTable,
  Expression,
  FromItem,
  Identifier,
  ModelArgument,
  Path,
  Query,
  SampleSpec,
  Table,
  TableFunction,
  Unnest,
  WithOffset,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parsePivotSpec, parseUnpivotSpec, startsPivot, startsUnpivot } from './pivot.ts';

/** Reads the rest of a join in parentheses; at least one more side. */
type JoinAfter = (start: number, first: FromItem) => FromItem;

/** A table, a subquery or the like: what can be a side of a join without parentheses. */
export function parseFromPrimary(p: Parser, joinAfter: JoinAfter): FromItem {
  const { start } = p;
  if (p.at('UNNEST')) return withSamples(p, start, parseUnnest(p));
  if (!p.accept('(')) return withSamples(p, start, parseTable(p));
  const inner = insideParentheses(p, joinAfter);
  p.expect(')');
  if (inner.kind === 'Query') return derivedTableAfter(p, start, inner);
  return withSamples(p, start, inner);
}

/** The content of parentheses in FROM: a query, or a join. Further parentheses may start either. */
const insideParentheses = (p: Parser, joinAfter: JoinAfter): Query | FromItem =>
  p.nested(() => {
    const { start } = p;
    if (startsQuery(p)) return p.query();
    if (!p.accept('(')) return joinAfter(start, p.fromItem());
    const inner = insideParentheses(p, joinAfter);
    p.expect(')');
    if (inner.kind !== 'Query') return joinAfter(start, withSamples(p, start, inner));
    if (p.at(')')) return inner;
    if (continuesQuery(p)) return p.queryAfter(start, inner);
    return joinAfter(start, derivedTableAfter(p, start, inner));
  });

/** The rest of a subquery in FROM, after its parentheses. */
function derivedTableAfter(p: Parser, start: number, query: Query): FromItem {
  const item = pivoted(p, start, (alias): DerivedTable => {
    return { kind: 'DerivedTable', start, end: p.end, query, alias };
  });
  return withSamples(p, start, item);
}

function parseTable(p: Parser): FromItem {
  const { start } = p;
  if (p.at('VALUES', '('))
    p.problem(start, 'VALUES is not supported: write UNNEST([STRUCT(… AS a, … AS b), …])');
  const path = parseTablePath(p);
  if (p.at('(')) {
    const isGraph = path.parts.length === 1 && foldName(path.parts[0].name) === 'graph_table';
    if (isGraph) return p.problem(start, 'GRAPH_TABLE is not supported: property graphs are not tables here');
    const args = parseTableArguments(p);
    return pivoted(p, start, (alias): TableFunction => {
      return { kind: 'TableFunction', start, end: p.end, name: path, args, alias };
    });
  }
  return pivoted(p, start, (alias) => tableAfter(p, start, path, alias));
}

function tableAfter(p: Parser, start: number, path: Path, alias: Identifier | undefined): Table {
  const withOffset = parseWithOffset(p);
  const systemTime = parseSystemTime(p);
  return { kind: 'Table', start, end: p.end, path, alias, withOffset, systemTime };
}

/** `[[AS] alias] [PIVOT(…) [[AS] alias]]`; `item` finishes the item under the first alias. */
function pivoted<Item extends FromItem>(
  p: Parser,
  start: number,
  item: (alias: Identifier | undefined) => Item,
): FromItem {
  const source = item(parseTableAlias(p));
  refuseMatchRecognize(p);
  if (startsPivot(p)) {
    const spec = parsePivotSpec(p);
    const alias = p.alias();
    return { kind: 'Pivot', start, end: p.end, source, spec, alias };
  }
  if (startsUnpivot(p)) {
    const spec = parseUnpivotSpec(p);
    const alias = p.alias();
    return { kind: 'Unpivot', start, end: p.end, source, spec, alias };
  }
  return source;
}

/** An alias, unless the name is the PIVOT or UNPIVOT that follows. */
function parseTableAlias(p: Parser): Identifier | undefined {
  refuseMatchRecognize(p);
  return startsPivot(p) || startsUnpivot(p) ? undefined : p.alias();
}

function refuseMatchRecognize(p: Parser): void {
  if (p.at('MATCH_RECOGNIZE', '('))
    p.problem(p.start, 'MATCH_RECOGNIZE is not supported: compare rows with LAG and LEAD, or number them');
}

function parseUnnest(p: Parser): FromItem {
  const { start } = p;
  p.expect('UNNEST');
  p.expect('(');
  const array = p.expression();
  if (p.at(','))
    p.problem(p.start, 'UNNEST of several arrays is not supported: join them by their WITH OFFSET');
  p.expect(')');
  return pivoted(p, start, (alias): Unnest => {
    const withOffset = parseWithOffset(p);
    return { kind: 'Unnest', start, end: p.end, array, alias, withOffset };
  });
}

function parseWithOffset(p: Parser): WithOffset | undefined {
  const { start } = p;
  if (!p.accept('WITH')) return undefined;
  p.expect('OFFSET');
  const alias = parseTableAlias(p);
  return { kind: 'WithOffset', start, end: p.end, alias };
}

function parseSystemTime(p: Parser): Expression | undefined {
  if (!p.accept('FOR')) return undefined;
  if (!p.accept('SYSTEM_TIME') && !p.accept('SYSTEM', 'TIME')) p.fail('"SYSTEM_TIME AS OF" after FOR');
  p.expect('AS');
  p.expect('OF');
  return p.expression();
}

export function parseTableFunction(p: Parser): TableFunction {
  const { start } = p;
  const name = parseTablePath(p);
  if (!p.at('(')) p.fail('"("');
  const args = parseTableArguments(p);
  const alias = p.alias();
  return { kind: 'TableFunction', start, end: p.end, name, args, alias };
}

function parseTableArguments(p: Parser): TableFunction['args'] {
  p.expect('(');
  const args = p.at(')') ? [] : p.list(() => parseTableArgument(p));
  p.close();
  return args;
}

function parseTableArgument(p: Parser): TableFunction['args'][number] {
  const { start } = p;
  const isTable = (p.at('TABLE') || p.at('MODEL')) && p.atName(1);
  if (!isTable) return parseNamedArgument(p) ?? p.expression();
  if (p.accept('TABLE')) {
    const { start: from } = p;
    const path = parseTablePath(p);
    return { kind: 'Table', start: from, end: p.end, path, ...plainTable };
  }
  p.expect('MODEL');
  const path = parseTablePath(p);
  return { kind: 'ModelArgument', start, end: p.end, path } satisfies ModelArgument;
}

const plainTable = { alias: undefined, withOffset: undefined, systemTime: undefined };

function withSamples(p: Parser, start: number, item: FromItem): FromItem {
  let source = item;
  while (p.at('TABLESAMPLE')) {
    const spec = parseSampleSpec(p);
    source = { kind: 'TableSample', start, end: p.end, source, spec };
  }
  return source;
}

/** `TABLESAMPLE SYSTEM (10 PERCENT)`. */
export function parseSampleSpec(p: Parser): SampleSpec {
  const { start } = p;
  p.expect('TABLESAMPLE');
  const method = p.name('a method such as SYSTEM');
  p.expect('(');
  const size = p.expression();
  const unit = p.at('ROWS') ? p.expectOneOf(['ROWS']) : p.expectOneOf(['PERCENT']);
  p.expect(')');
  return { kind: 'SampleSpec', start, end: p.end, method, size, unit };
}

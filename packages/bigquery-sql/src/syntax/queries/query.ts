import { parseLimit, parseOrderBy } from '../expressions/ordering.ts';
import { startsPipesOfAlias } from '../expressions/parentheses.ts';
import type { DerivedTable, FromQuery, Query, QueryBody, Select, With } from '../nodes.ts';
import type { Parser } from '../parser.ts';
import { parseWith } from './common-tables.ts';
import { parseFrom } from './joins.ts';
import { parsePipes } from './pipes.ts';
import { parseSelect } from './select.ts';
import { parseSetOperations } from './set-operations.ts';

/** A query with its common tables before it, and its order, limit and pipe operators after it. */
export function parseQuery(p: Parser): Query {
  const { start } = p;
  const commonTables = p.at('WITH') ? parseWith(p) : undefined;
  if (p.at('FROM')) {
    const body: FromQuery = { kind: 'FromQuery', start: p.start, from: parseFrom(p), end: p.end };
    return finishFromQuery(p, start, commonTables, body);
  }
  return finishQuery(p, start, commonTables, parsePart(p));
}

/** The rest of a query whose first part was in parentheses. */
export const parseQueryAfter = (p: Parser, start: number, part: Query): Query =>
  finishQuery(p, start, undefined, part);

function finishFromQuery(p: Parser, start: number, commonTables: With | undefined, body: FromQuery): Query {
  if (p.at('WHERE') || p.at('GROUP') || p.at('ORDER') || p.at('LIMIT') || p.at('SELECT')) {
    p.fail('"|>" before a further clause of a query that starts with FROM');
  }
  const pipes = parsePipes(p);
  return { kind: 'Query', start, end: p.end, with: commonTables, body, orderBy: [], limit: undefined, pipes };
}

function finishQuery(p: Parser, start: number, commonTables: With | undefined, first: Select | Query): Query {
  if (first.kind === 'Query' && startsPipesOfAlias(p))
    return finishFromQuery(p, start, commonTables, namedQuery(p, first));
  const body: QueryBody = parseSetOperations(
    p,
    first.kind === 'Query' ? start : first.start,
    first,
    parsePart,
  );
  const orderBy = parseOrderBy(p);
  const limit = parseLimit(p);
  const pipes = parsePipes(p);
  const bare = !commonTables && orderBy.length === 0 && !limit && pipes.length === 0;
  if (bare && body.kind === 'Query') return body;
  return { kind: 'Query', start, end: p.end, with: commonTables, body, orderBy, limit, pipes };
}

/** `(SELECT …) AS t |> …`: the same as `FROM (SELECT …) AS t |> …`. */
function namedQuery(p: Parser, query: Query): FromQuery {
  const { start } = query;
  const alias = p.alias();
  const from: DerivedTable = { kind: 'DerivedTable', start, end: p.end, query, alias };
  return { kind: 'FromQuery', start, end: p.end, from };
}

/** One side of a set operation: a SELECT, or a query in parentheses. */
function parsePart(p: Parser): Select | Query {
  if (p.accept('(')) {
    const query = p.query();
    p.expect(')');
    return query;
  }
  return p.at('SELECT') ? parseSelect(p) : p.fail('"SELECT" or a query in parentheses');
}

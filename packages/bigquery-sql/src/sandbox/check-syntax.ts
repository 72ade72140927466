import { foldName } from '@querygate/text';
import { namespaces } from '../rules/functions/function-name.ts';
import { maxGroupingSets, setsOf } from '../rules/queries/grouping.ts';
import { Unsupported } from '../rules/unsupported.ts';
import { tokenize } from '../syntax/lexer/tokenize.ts';
import type { Node, Select, Statement } from '../syntax/nodes.ts';
import { walk } from '../syntax/walk.ts';
import { sameName } from '../types.ts';
import { requireFewColumns } from './bounded-rules.ts';

/** The names of a saved query that a caller's SQL may use. */
export interface Names {
  /** Of the common tables, as the saved query writes them. */
  readonly tables: readonly string[];
  /** Common tables that it may not name. */
  readonly hidden?: readonly string[];
  /** Those that the common tables use. */
  readonly parameters: readonly string[];
  /** Of the temporary functions that the saved query defines, in lower case. */
  readonly functions: ReadonlySet<string>;
}

/**
 * The limits of a caller's text. The work for it grows with the product of some of these, so that each is far below
 * what the length of the text allows, and far above what people write.
 */
const callerLimits = {
  commonTables: 20,
  tables: 40,
  stars: 40,
  subqueries: 60,
  groupingKeys: 100,
  sortKeys: 100,
  groupingSets: maxGroupingSets,
} as const;

const sortKeys = 'keys in ORDER BY and PARTITION BY';

/**
 * Refuses what a caller's SQL must not be, whatever its names mean; names are resolved later, in a scope that has the
 * common tables only.
 *
 * @throws Unsupported, or TooLarge
 */
export function checkSyntax({ functions: [definition], query }: Statement, names: Names): void {
  if (definition)
    throw new Unsupported(definition, 'sql is one SELECT: CREATE TEMP FUNCTION is not available in it');
  const counts = {
    commonTables: 0,
    tables: 0,
    stars: 0,
    subqueries: 0,
    groupingKeys: 0,
    sortKeys: 0,
    groupingSets: 0,
  };
  const count = (node: Node, what: keyof typeof counts, title: string, number = 1) => {
    counts[what] += number;
    if (counts[what] > callerLimits[what])
      throw new Unsupported(node, `sql has more than ${callerLimits[what]} ${title}`);
  };
  walk(query, (node) => {
    if (node.kind === 'CommonTable') count(node, 'commonTables', 'common tables');
    else if (node.kind === 'Query') count(node, 'subqueries', 'subqueries');
    else if (node.kind === 'Table' || node.kind === 'Unnest') count(node, 'tables', 'tables in FROM');
    else if (node.kind === 'Star' || node.kind === 'DotStar') count(node, 'stars', '"*" in select lists');
    else if (node.kind === 'GroupingExpression') count(node, 'groupingKeys', 'keys in GROUP BY');
    else if (node.kind === 'GroupingList')
      count(node, 'groupingKeys', 'keys in GROUP BY', node.expressions.length);
    else if (node.kind === 'OrderByItem') count(node, 'sortKeys', sortKeys);
    else if (node.kind === 'Window') count(node, 'sortKeys', sortKeys, node.partitionBy.length);
    else if (node.kind === 'GroupBy') count(node, 'groupingSets', 'sets in GROUP BY', setsOf(node));
    checkNode(node, names);
  });
}

function checkNode(node: Node, names: Names): void {
  switch (node.kind) {
    case 'With':
      if (node.recursive) throw new Unsupported(node, 'WITH RECURSIVE is not available in sql');
      return;
    case 'CommonTable': {
      const { name } = node.name;
      if (has([...names.tables, ...(names.hidden ?? [])], name))
        throw new Unsupported(
          node.name,
          `${name} is already a table of this endpoint; give this one another name`,
        );
      return;
    }
    case 'FromQuery':
      throw new Unsupported(
        node,
        'sql begins with SELECT or WITH; a query that begins with FROM is not available',
      );
    case 'Query': {
      const [pipe] = node.pipes;
      if (pipe) throw new Unsupported(pipe, 'pipe operators are not available in sql; write SELECT');
      return;
    }
    case 'Select':
      if (node.modifier) throw new Unsupported(node.modifier, 'SELECT WITH is not available in sql');
      requireFewItems(node);
      return;
    case 'TableFunction':
      throw new Unsupported(node, `table functions are not available in sql; ${tablesOf(names)}`);
    case 'TableSample':
      throw new Unsupported(node.spec, 'TABLESAMPLE is not available in sql');
    case 'WithExpression':
      throw new Unsupported(node, 'WITH(…) as an expression is not available in sql; use a common table');
    case 'NamedParameter': {
      const { name } = node.name;
      if (has(names.parameters, name)) return;
      const declared = names.parameters.map((parameter) => `@${parameter}`).join(', ');
      throw new Unsupported(
        node,
        `@${name} is not a parameter of the tables of this endpoint${declared === '' ? ', which have none' : `; theirs are ${declared}`}`,
      );
    }
    case 'SystemVariable':
      throw new Unsupported(node, 'system variables are not available in sql');
    case 'PositionalParameter':
      throw new Unsupported(node, 'parameters have names, as in @name, and are those of this endpoint');
    case 'FunctionCall': {
      const { parts } = node.name;
      const [first] = parts;
      const shown = parts.map(({ name }) => name).join('.');
      const isStored = parts.length > 1 && !namespaces.has(foldName(first.name));
      if (isStored || (parts.length === 1 && names.functions.has(foldName(first.name))))
        throw new Unsupported(
          node.name,
          `the function ${shown} is not available in sql; BigQuery's own functions are`,
        );
    }
  }
}

/** Those of `*` are counted when it is resolved. */
function requireFewItems(node: Select): void {
  const columns = node.items.filter(({ kind }) => kind === 'SelectExpression').length;
  if (node.as === undefined) requireFewColumns(node, columns);
}

const has = (names: readonly string[], name: string): boolean => names.some((other) => sameName(other, name));

/** The tables that a caller can read, as a part of a message. */
export const tablesOf = ({ tables }: Pick<Names, 'tables'>): string =>
  `the tables of this endpoint are ${tables.join(', ')}`;

/** How much of a word a message shows. */
const longestShown = 40;

/**
 * Says what SQL is to be if a text begins as something else: the parser, which is made for saved queries, would offer more.
 *
 * @throws Unsupported
 */
export function requireSelect(sql: string, names: Names): void {
  const first = tokenize(sql).find(({ key }) => key !== '(');
  if (first === undefined || first.kind === 'invalid' || ['SELECT', 'WITH', 'FROM'].includes(first.key))
    return;
  const found =
    first.kind === 'end'
      ? 'nothing'
      : `"${sql.slice(first.start, Math.min(first.end, first.start + longestShown))}"`;
  throw new Unsupported(first, `sql is one SELECT, found ${found}; ${tablesOf(names)}`);
}

import type { Expression, Node, SelectItem } from '../../src/syntax/nodes.ts';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { SyntaxProblem } from '../../src/syntax/syntax-problem.ts';
import { childrenOf } from '../../src/syntax/walk.ts';

/**
 * A tree as text: `Kind(field: value …)` without places, and without fields that are undefined, false or empty. A name
 * is itself, a quoted one in backquotes, a path has dots, a literal is its value.
 */
export function dump(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(dump).join(' ')}]`;
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`;
  if (typeof value !== 'object' || value === null) return String(value);
  const node = value as Node;
  switch (node.kind) {
    case 'Identifier':
      return node.quoted ? `\`${node.name}\`` : node.name;
    case 'Path':
      return node.parts.map(dump).join('.');
    case 'IntegerLiteral':
    case 'FloatLiteral':
      return node.text;
    case 'StringLiteral':
      return JSON.stringify(node.value);
    case 'BooleanLiteral':
      return String(node.value).toUpperCase();
    case 'NullLiteral':
      return 'NULL';
    default:
      return dumpFields(node);
  }
}

function dumpFields({ kind, start: _start, end: _end, ...fields }: Node): string {
  const shown = Object.entries(fields).filter(([, value]) => isShown(value));
  return `${kind ?? ''}(${shown.map(([name, value]) => `${name}: ${dump(value)}`).join(' ')})`;
}

function isShown(value: unknown): boolean {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return false;
  const isOrder = typeof value === 'object' && value !== null && 'direction' in value && !('kind' in value);
  return !isOrder || Object.values(value).some((part) => part !== undefined);
}

/** The tree of a query without temporary functions. */
export const dumpQuery = (sql: string): string => dump(parseQuery(sql).query);

/** The first item of the select list of `SELECT item`. */
export function itemOf(text: string): SelectItem {
  const { body } = parseQuery(`SELECT ${text}`).query;
  const item = body.kind === 'Select' ? body.items[0] : undefined;
  if (!item) throw new Error(`no select list in ${text}`);
  return item;
}

export function expressionOf(text: string): Expression {
  const item = itemOf(text);
  if (item.kind !== 'SelectExpression') throw new Error(`no expression in ${text}`);
  return item.expression;
}

export const dumpExpression = (text: string): string => dump(expressionOf(text));

/** What follows FROM in `SELECT * FROM …`. */
export function dumpFrom(text: string): string {
  const { body } = parseQuery(`SELECT * FROM ${text}`).query;
  return body.kind === 'Select' ? dump(body.from) : '';
}

/** `offset: message`, or undefined if the text parses. */
export function problemOf(sql: string): string | undefined {
  try {
    parseQuery(sql);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    return `${problem.offset}: ${problem.message}`;
  }
}

/** Nodes that do not lie within the node around them. */
export function misplaced(node: Node): readonly string[] {
  return childrenOf(node).flatMap((child) => {
    const inside = node.start <= child.start && child.start <= child.end && child.end <= node.end;
    return [...(inside ? [] : [`${child.kind} in ${node.kind}`]), ...misplaced(child)];
  });
}

import { expect, test } from 'vitest';
import type { Node } from '../../src/syntax/nodes.ts';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { skip, walk } from '../../src/syntax/walk.ts';

const sql = 'SELECT a, (SELECT b FROM u) FROM t WHERE c';

test('nodes are entered in the order of the text, each after the nodes around it', () => {
  const names: string[] = [];
  walk(parseQuery(sql), (node) => node.kind === 'Identifier' && names.push(node.name));
  expect(names).toEqual(['a', 'b', 'u', 't', 'c']);
});

test('the nodes around a node come with it, outermost first', () => {
  const around: string[] = [];
  walk(parseQuery(sql), (node, parents: readonly Node[]) => {
    if (node.kind === 'Identifier' && node.name === 'b') around.push(...parents.map(({ kind }) => kind));
  });
  expect(around).toEqual([
    'Statement',
    'Query',
    'Select',
    'SelectExpression',
    'ScalarSubquery',
    'Query',
    'Select',
    'SelectExpression',
    'Path',
  ]);
});

test('skip leaves out what is within a node', () => {
  const tables: string[] = [];
  walk(parseQuery(sql), (node) => {
    if (node.kind === 'Table') tables.push(node.path.parts.map(({ name }) => name).join('.'));
    return node.kind === 'ScalarSubquery' ? skip : undefined;
  });
  expect(tables).toEqual(['t']);
});

import { expect, test } from 'vitest';
import { CatalogReceiver, CatalogSender } from '../../../src/engine-contract/remote/catalog-copies.ts';
import { draftQuery } from '../../support/queries.ts';

const query = (name: string) => draftQuery({ name, columns: { x: 'integer' }, sql: 'select 1 as x' });

test('a query is sent once, and is the same one in each version', () => {
  const [a, b, c] = [query('a'), query('b'), query('c')];
  const tables = [] as const;
  const sender = new CatalogSender();
  const receiver = new CatalogReceiver({ sql: 'bigquery' });

  const first = sender.describe({ queries: [a, b], tables }, []);
  const received = receiver.receive(first);
  expect(first.added).toHaveLength(2);
  expect(received.queries.map(({ name }) => name)).toEqual(['a', 'b']);
  const numberOfA = sender.numberOf(a) ?? 0;

  const second = sender.describe({ queries: [a, c], tables }, [{ queries: [a, b], tables }]);
  expect([second.added.map(([, { name }]) => name), second.schemas]).toEqual([['c'], undefined]);
  const next = receiver.receive(second);
  expect(next.queries[0]).toBe(received.queries[0]);
  expect(receiver.get(numberOfA)).toBe(received.queries[0]);
  const numberOfB = sender.numberOf(b) ?? 0;
  expect(receiver.get(numberOfB)).toBe(received.queries[1]);

  receiver.receive(sender.describe({ queries: [c], tables }, [{ queries: [a, c], tables }]));
  expect([sender.numberOf(b), receiver.get(numberOfB)]).toEqual([undefined, undefined]);
  expect(receiver.get(numberOfA)).toBe(received.queries[0]);
  expect(sender.isLast({ queries: [c], tables })).toBe(true);
  expect(sender.isLast({ queries: [b], tables })).toBe(false);
  expect(sender.isLast({ queries: [c], tables: [{ name: 't', fields: [] }] })).toBe(false);
});

import { describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { Renderers } from '../../src/formats/renderers.ts';
import { endpointPaths, pathsToLog } from '../../src/http/message/paths.ts';

const id = '11111111-2222-4333-8444-555555555555';
const other = '11111111-2222-4333-8444-666666666666';
const query = (name: string, rest: Partial<SavedQuery> = {}) =>
  ({ name, id, aliases: [], parameters: [], ...rest }) as unknown as SavedQuery;
const queries = [
  query('orders', { aliases: ['old.orders', other] }),
  query('orders@2', { id: 'another' }),
  query('orders.csv', { id: 'third' }),
];

describe('the path of an endpoint in the log', () => {
  const ofPlugins = (path: string) => (path === '/queries/orders' ? path : undefined);
  const toLog = pathsToLog({ queries }, new Renderers().names, ofPlugins);

  test.each([
    ['orders', 'orders'],
    ['orders.json', 'orders.json'],
    ['orders.parquet', 'orders.parquet'],
    [id, id],
    ['old.orders', 'orders'],
    ['old.orders.arrow', 'orders.arrow'],
    [other, 'orders'],
    ['orders@2', 'orders@2'],
    ['orders%402', 'orders@2'],
    ['orders%402.csv', 'orders@2.csv'],
    ['orders.none', undefined],
    ['orders.json.json', undefined],
    ['', undefined],
  ])('%s is %s', (address, shown) => {
    const path = '/api/endpoints/query/';
    expect(toLog(path + address)).toBe(shown && path + shown);
  });

  test('is that of the endpoint with the name, not of one with a format', () => {
    expect(endpointPaths({ queries }, new Renderers().names)('/api/endpoints/query/orders.csv')?.query).toBe(
      queries[2],
    );
  });

  test('is what a plug-in says of its paths, and others are as they are', () => {
    expect(toLog('/queries/orders')).toBe('/queries/orders');
    expect(toLog('/queries/old.orders')).toBeUndefined();
    expect(toLog('/graphql')).toBe('/graphql');
    expect(toLog('/constructor')).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import type { Column, Endpoint } from '../src/endpoint.ts';
import type { Json } from '../src/json.ts';
import {
  conditionOf,
  orderIn,
  rowArgumentNames,
  rowArgumentsIn,
  shownArguments,
  withCondition,
  withCursor,
  withNextOrder,
  withoutArgument,
  withoutPage,
  withPageSize,
} from '../src/parameters/row-arguments.ts';
import { type ParameterValues, searchOf, valuesInAddress } from '../src/parameters/values.ts';
import { buildRowControls } from '../src/result/row-controls.ts';

type Rows = Parameters<typeof rowArgumentNames>[0];

const endpoint = (more: Partial<Rows> = {}, declared: readonly string[] = ['project']): Rows => ({
  parameters: declared.map((name) => ({
    name,
    schema: { type: 'string' },
  })) as unknown as Endpoint['parameters'],
  filter: ['n', 'text', 'at', 'project'],
  order: ['n', 'at'],
  pageKeys: [],
  maxRows: 100,
  ...more,
});

const column = (name: string, type = 'string') => ({ name, type, repeated: false }) as unknown as Column;

const controlsOf = (of: Rows) =>
  buildRowControls(
    of as Endpoint,
    () => new Map(),
    () => {},
  );

const read = (of: Rows, search: string): ParameterValues => valuesInAddress(search, of.parameters);

describe('row arguments of an address', () => {
  test('are those that the endpoint has; its parameters are its own', () => {
    const things = endpoint();
    const values = read(
      things,
      '?project=p&n=gte.1&n=lt.9&order=n.desc&offset=2&after=x&select=count()&other=1',
    );
    expect(searchOf(values)).toBe('?project=p&n=gte.1&n=lt.9&order=n.desc&offset=2&after=x&other=1');
    expect(searchOf(rowArgumentsIn(things, values))).toBe('?n=gte.1&n=lt.9&order=n.desc&offset=2');
    const plain = endpoint({ filter: [], order: [] });
    expect(rowArgumentNames(plain)).toEqual([]);
    expect(rowArgumentNames(endpoint({}, ['limit', 'order']))).not.toContain('limit');
  });

  test('order rows: ascending, descending, as the query does', () => {
    const things = endpoint();
    const steps = [new Map<string, readonly string[]>([['project', ['p']]])];
    for (let at = 0; at < 3; at += 1)
      steps.push(new Map(withNextOrder(things, steps[at] as ParameterValues, 'n')));
    expect(steps.map((one) => one.get('order')?.[0])).toEqual([undefined, 'n.asc', 'n.desc', undefined]);
    expect(orderIn(things, new Map([['order', ['at.desc.nullslast,n']]]))).toEqual({
      column: 'at',
      descending: true,
    });
    // A parameter of the query.
    const own = endpoint({}, ['order']);
    expect(orderIn(own, new Map([['order', ['n.desc']]]))).toBeUndefined();
    const orderBy = (of: Rows) => controlsOf(of).orderBy(column('n'));
    expect([typeof orderBy(things), orderBy(own)]).toEqual(['function', undefined]);
  });

  test.each<[string, string, Json | undefined, readonly [string, string] | undefined]>([
    ['n', 'integer', 7, ['n', 'eq.7']],
    ['n', 'integer', 9007199254740993n, ['n', 'eq.9007199254740993']],
    ['text', 'string', 'a "b", (c)', ['text', 'eq.a "b", (c)']],
    ['text', 'string', '', ['text', 'eq.']],
    ['text', 'string', undefined, ['text', 'is.null']],
    ['text', 'boolean', false, ['text', 'is.false']],
    ['at', 'timestamp', 1_767_225_600_123_400, ['at', 'eq.2026-01-01T00:00:00.1234Z']],
    ['project', 'string', 'a "b"\\, (c)', ['and', '(project.eq."a \\"b\\"\\\\, (c)")']],
    ['project', 'string', undefined, ['and', '(project.is.null)']],
    ['text', 'string', 'x'.repeat(1000), undefined],
    ['other', 'string', 'a', undefined],
  ])('the value of %s, a %s, %s is the condition %s', (name, type, value, condition) => {
    expect(conditionOf(endpoint(), column(name, type), value)).toEqual(condition);
  });

  test('are shown as people read them, and removed one by one', () => {
    const things = endpoint();
    let values = read(
      things,
      '?project=p&order=n.desc&n=gte.1&n=not.in.(2,3)&n=constructor.5&text=is.null&or=(n.eq.1,n.eq.2)&limit=5',
    );
    const own = conditionOf(things, column('project'), 'a "b"\\') ?? (['', ''] as const);
    values = withCondition(things, withCondition(things, values, own), ['text', 'eq.']);
    expect(shownArguments(things, values).map(({ label }) => label)).toEqual([
      ...['n ≥ 1', 'not n is in (2,3)', 'n constructor.5'],
      ...['text is NULL', 'text = empty text', 'or (n.eq.1,n.eq.2)'],
      ...['At most 5 rows', 'project = a "b"\\'],
    ]);
    for (const one of shownArguments(things, values)) values = withoutArgument(things, values, one);
    expect(searchOf(values)).toBe('?project=p&order=n.desc');
    // The same twice is one.
    const twice = withCondition(things, new Map([['n', ['eq.1']]]), ['n', 'eq.1']);
    expect(twice.get('n')).toEqual(['eq.1']);
  });

  test('have a place in pages only while the rows are the same', () => {
    const paged = endpoint({ pageKeys: [{ column: 'at', descending: true }] });
    const values = read(paged, '?project=p&limit=10&after=abc');
    expect(searchOf(withoutPage(paged, values))).toBe('?project=p');
    expect(searchOf(withNextOrder(paged, values, 'n'))).toBe('?project=p&order=n.asc');
    expect(searchOf(withPageSize(paged, new Map([['project', ['p']]])))).toBe('?project=p&limit=100');
    expect(searchOf(withPageSize(paged, values))).toBe('?project=p&limit=10&after=abc');
    expect(searchOf(withPageSize(paged, new Map([['n', ['eq.1']]])))).toBe('?n=eq.1');
    expect(searchOf(withPageSize(endpoint(), new Map()))).toBe('');
    // Other pages have the size of this one.
    expect(searchOf(withCursor(paged, values, 'before', 'x'))).toBe('?project=p&limit=10&before=x');
    expect(searchOf(withCursor(paged, new Map(), 'after', 'x'))).toBe('?limit=100&after=x');
    expect(shownArguments(paged, values).map(({ label }) => label)).toEqual([
      'Rows after those of another page',
    ]);
  });
});

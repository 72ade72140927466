import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import SchemaBuilder from '@pothos/core';
import { createYoga } from 'graphql-yoga';

// What a team would write first: Yoga and Pothos, one resolver for each field, rows at hand as objects.
type Row = Readonly<Record<string, string | number>>;

const [file = ''] = process.argv.slice(2);
const fields = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Row[]>;

const builder = new SchemaBuilder<{
  DefaultFieldNullability: false;
  Objects: { Row: Row; LogRow: Row; Result: Row[]; LogResult: Row[] };
}>({
  defaultFieldNullability: false,
});
const text = (value: string | number | undefined) => String(value);
builder.objectType('Row', {
  fields: (t) => ({
    made: t.string({ resolve: ({ made }) => text(made) }),
    count: t.int({ resolve: ({ count }) => Number(count) }),
    errorCount: t.int({ resolve: ({ errorCount }) => Number(errorCount) }),
    minTime: t.float({ resolve: ({ minTime }) => Number(minTime) }),
    maxTime: t.float({ resolve: ({ maxTime }) => Number(maxTime) }),
    avgTime: t.float({ resolve: ({ avgTime }) => Number(avgTime) }),
    path: t.string({ resolve: ({ path }) => text(path) }),
    id: t.string({ resolve: ({ id }) => text(id) }),
  }),
});
builder.objectType('LogRow', {
  fields: (t) => ({
    id: t.string({ resolve: ({ id }) => text(id) }),
    timestamp: t.string({ resolve: ({ timestamp }) => text(timestamp) }),
    eventMessage: t.string({ resolve: ({ eventMessage }) => text(eventMessage) }),
  }),
});
const numbers = builder.inputType('Numbers', {
  fields: (t) => ({ gte: t.float({ required: false }), lt: t.float({ required: false }) }),
});
const where = builder.inputType('Where', {
  fields: (t) => ({
    count: t.field({ type: numbers, required: false }),
    maxTime: t.field({ type: numbers, required: false }),
  }),
});
const direction = builder.enumType('Direction', { values: ['ASC', 'DESC'] });
const orderBy = builder.inputType('OrderBy', {
  fields: (t) => ({
    errorCount: t.field({ type: direction, required: false }),
    avgTime: t.field({ type: direction, required: false }),
  }),
});
builder.objectType('Result', {
  fields: (t) => ({
    rows: t.field({
      type: ['Row'],
      args: {
        where: t.arg({ type: where, required: false }),
        orderBy: t.arg({ type: [orderBy], required: false }),
        first: t.arg.int({ required: false }),
      },
      resolve: (rows, { where: given, orderBy: keys, first }) =>
        given || keys || first != null ? orderedRows(rows, given ?? {}, keys ?? [], first) : rows,
    }),
  }),
});

type Numbers = Readonly<Record<'gte' | 'lt', number | null | undefined>>;

function orderedRows(
  rows: readonly Row[],
  conditions: Readonly<Record<string, Partial<Numbers> | null | undefined>>,
  keys: readonly Readonly<Record<string, string | null | undefined>>[],
  first: number | null | undefined,
): Row[] {
  const kept = rows.filter((row) =>
    Object.entries(conditions).every(([name, range]) => {
      const value = Number(row[name]);
      return (range?.gte == null || value >= range.gte) && (range?.lt == null || value < range.lt);
    }),
  );
  const order = keys.flatMap((key) => Object.entries(key));
  kept.sort((a, b) => {
    for (const [name, way] of order) {
      const [one, other] = [a[name] ?? 0, b[name] ?? 0];
      if (one !== other) return one < other === (way === 'ASC') ? -1 : 1;
    }
    return 0;
  });
  return kept.slice(0, first ?? undefined);
}

builder.objectType('LogResult', {
  fields: (t) => ({ rows: t.field({ type: ['LogRow'], resolve: (rows) => rows }) }),
});
builder.queryType({
  fields: (t) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, rows]) => [
        name,
        t.field({ type: name.startsWith('logs') ? 'LogResult' : 'Result', resolve: () => rows }),
      ]),
    ),
});

const yoga = createYoga({ schema: builder.toSchema(), logging: false, landingPage: false, graphiql: false });
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

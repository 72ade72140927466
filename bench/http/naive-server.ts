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
builder.objectType('Result', {
  fields: (t) => ({ rows: t.field({ type: ['Row'], resolve: (rows) => rows }) }),
});
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

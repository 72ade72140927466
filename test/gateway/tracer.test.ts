import { expect, test } from 'vitest';
import { pino } from 'pino';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import type { Span, Tracer } from '../../src/trace/span.ts';
import { makeQueryFolder, queryText } from '../support/query-folder.ts';
import { openedEngine } from '../support/test-app.ts';

const fail = (): never => {
  throw new Error('the exporter is broken');
};
const span: Span = {
  start: () => span,
  set() {},
  rename() {},
  end() {},
  traceId: '1'.repeat(32),
  traceparent: '',
};
const tracerOf = (broken: Partial<Span>): Tracer => ({
  startRequest: () => ({ ...span, ...broken }),
  close: async () => {},
});

test.each<[string, Tracer]>([
  ['begins a request', { startRequest: fail, close: async () => {} }],
  ['begins a step', tracerOf({ start: fail })],
  ['sets attributes', tracerOf({ set: fail })],
  ['names a request', tracerOf({ rename: fail })],
  ['ends a request', tracerOf({ end: fail })],
])('a tracer that fails when it %s changes no answer, and is reported once', async (_, tracer) => {
  const folder = makeQueryFolder({ 'q.sql': queryText() });
  const lines: string[] = [];
  const run = async () => ({ rows: ['{"n":1}'], truncated: false });
  const gateway = await createGateway({
    queries: folder.folder,
    engine: openedEngine({ source: 'test', run, close: async () => {} }),
    keys: apiKey('a-key-for-tests-only'),
    reload: false,
    tracer,
    log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
  });
  for (const path of ['q', 'q', 'nothing']) {
    const request = new Request(`http://gateway.test/api/endpoints/query/${path}`, {
      headers: { 'x-api-key': 'a-key-for-tests-only' },
    });
    expect((await gateway.fetch(request)).status).toBe(path === 'q' ? 200 : 404);
  }
  await gateway.close();
  folder.close();
  expect(lines.filter((line) => line.includes('the tracer fails'))).toHaveLength(1);
  expect(lines).toHaveLength(1);
});

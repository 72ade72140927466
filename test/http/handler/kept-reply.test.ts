import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { KeptReply } from '../../../src/http/handler/kept-reply.ts';
import { cacheHeaders } from '../../../src/http/message/cache-headers.ts';
import type { MadeOf } from '../../../src/http/message/reply.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { draftQuery } from '../../support/queries.ts';

test('a reply that is sent again has the headers of its moment, also shortly before a relative default changes', async () => {
  const query = draftQuery({ columns: { x: 'string' }, caching: ['caching: 900s'], sql: 'select 1 as x' });
  const bound = bind(query, plainParameters({}));
  const run = { computedAt: 0, begunAt: 0 };
  const document = await buildDocument({ rows: [], truncated: false }, run);
  const caching = {
    ttlSeconds: 900,
    warmingSeconds: undefined,
    liveSeconds: undefined,
    staleIfErrorSeconds: 0,
  };
  const madeOf: MadeOf = {
    encodings: document.encodings,
    headersAt: (results) => cacheHeaders(results, document.digest),
  };
  const reply = { status: 200, headers: {}, body: document.encodings.identity };
  const kept = new KeptReply(reply, madeOf, true);
  const at = (obtainedAt: number) => {
    const result = { document, caching, cacheStatus: 'HIT', obtainedAt, defaultsUntil: 4_300 } as const;
    const sent = kept.reply([{ bound, result }], undefined, () => {});
    if (sent instanceof Promise) throw new TypeError('there is nothing to wait for');
    return [sent.headers, cacheHeaders([result], document.digest)] as const;
  };
  for (let ms = 0; ms < 4_300; ms += 50) {
    const [sent, current] = at(ms);
    expect(sent, `${ms} ms`).toMatchObject(current);
  }
});

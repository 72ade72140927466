import { openWithFake } from '../../test/engines/bigquery/open-with-fake.ts';
import { completeBody, reply } from '../../test/support/fake-bigquery.ts';
import type { Bench } from '../run.ts';

const queries = 100;

const bench: Bench = {
  title: 'HTTP requests to BigQuery for cold queries that finish at once',
  async *run() {
    const setup = await openWithFake();
    setup.fake.respondWith(reply(completeBody([1, 2, 3])));
    for (let at = 0; at < queries; at += 1) await setup.run({ word: `question ${at}` });
    const requests = setup.fake.received.length;
    await setup.close();
    if (requests !== queries) process.exitCode = 1;
    const verdict = requests === queries ? 'holds' : 'DOES NOT HOLD';
    yield `${queries} queries, ${requests} requests; exactly one each: ${verdict}`;
  },
};

export default bench;

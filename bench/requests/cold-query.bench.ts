import { openOnFake } from '../../test/engine/bigquery/open-fake.ts';
import { done, sends } from '../../test/support/fake-bigquery.ts';
import type { Bench } from '../run.ts';

const queries = 100;

const bench: Bench = {
  title: 'HTTP requests to BigQuery for cold queries that finish at once',
  async run() {
    const on = await openOnFake();
    on.fake.plays(sends(done([1, 2, 3])));
    for (let at = 0; at < queries; at += 1) await on.run({ word: `question ${at}` });
    const requests = on.fake.received.length;
    await on.close();
    if (requests !== queries) process.exitCode = 1;
    const verdict = requests === queries ? 'holds' : 'DOES NOT HOLD';
    return [`${queries} queries, ${requests} requests; exactly one each: ${verdict}`];
  },
};

export default bench;

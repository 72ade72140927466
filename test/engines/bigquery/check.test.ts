import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import type { QueryCheck } from '../../../src/engine-contract/engine.ts';
import { openBigquery } from '../../../src/engines/bigquery/open-bigquery.ts';
import { engineHost } from '../../support/engine-host.ts';
import {
  completeBody,
  errorReply,
  type FakeBigquery,
  inSequence,
  reply,
  startFakeBigquery,
} from '../../support/fake-bigquery.ts';
import { draftQuery } from '../../support/queries.ts';

describe('the check at start', () => {
  let fake: FakeBigquery;
  beforeAll(async () => {
    fake = await startFakeBigquery();
  });
  afterAll(() => fake.close());

  const draft = (name: string) =>
    draftQuery({
      name,
      columns: { x: 'integer' },
      parameters: { word: '{ type: string, default: d, example: e, description: Text. }' },
      sql: 'select x\nfrom t\nwhere w = @word',
    });

  const start = async (queries: readonly SavedQuery[], env: Record<string, string> = {}) => {
    const checked: QueryCheck[] = [];
    const config = readConfig({
      ENGINE: 'bigquery',
      ENGINE_TIMEOUT_MS: '3000',
      BIGQUERY_PROJECT: 'our-project',
      BIGQUERY_DATASET: 'logs',
      BIGQUERY_API_ENDPOINT: fake.endpoint,
      ...env,
    });
    const events = { queryChecked: (check: QueryCheck) => void checked.push(check) };
    const catalog = { queries, tables: [] };
    const engine = await openBigquery(engineHost({ catalog, config, events }), config.bigquery);
    await expect.poll(() => checked.length).toBe(queries.length);
    await engine.close();
    return checked;
  };

  test('is a dry run with the examples, and reports the bytes', async () => {
    fake.respondWith(reply(completeBody([], { totalBytesProcessed: '123456789' })));
    const [checked] = await start([draft('one')], { BIGQUERY_MAXIMUM_BYTES_BILLED: '200000000' });
    expect(checked).toMatchObject({ bytesProcessed: 123456789, problems: [] });
    expect(fake.received).toHaveLength(1);
    expect(fake.received[0]?.body).toMatchObject({
      dryRun: true,
      queryParameters: [{ name: 'word', parameterValue: { value: 'e' } }],
    });
    expect(fake.received[0]?.body).not.toHaveProperty('maximumBytesBilled');
  });

  test('waits for a slot with each of many queries', async () => {
    fake.respondWith(reply(completeBody([])));
    const queries = Array.from({ length: 40 }, (_, at) => draft(`q${at}`));
    const checked = await start(queries, { ENGINE_CONCURRENCY: '2' });
    expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test('a script has no problem, and a number of bytes that is not known', async () => {
    const ofInsert = { statistics: { totalBytesProcessed: '0', query: { statementType: 'SCRIPT' } } };
    fake.respondWith(inSequence(reply(completeBody([], { schema: undefined })), reply(ofInsert)));
    const [checked] = await start([draft('one')]);
    expect(checked).toMatchObject({ bytesProcessed: undefined, problems: [] });
  });

  test('calls jobs.insert for the columns if jobs.query reports none', async () => {
    const { schema } = completeBody();
    const statistics = {
      totalBytesProcessed: '7',
      query: { schema: { fields: [{ ...schema.fields[0], type: 'STRING' }] } },
    };
    fake.respondWith(inSequence(reply({ totalBytesProcessed: '7' }), reply({ statistics })));
    const [checked] = await start([draft('one')]);
    expect(checked?.problems).toMatchObject([
      { message: 'columns.x: declared integer, but the SQL returns string' },
    ]);
    expect(fake.received[1]).toMatchObject({
      path: '/jobs',
      body: {
        configuration: {
          dryRun: true,
          query: { query: 'select x\nfrom t\nwhere w = @word\n', useLegacySql: false },
        },
      },
    });
  });

  test('reports a failing query with file and line, and checks the others too', async () => {
    fake.respondWith((response, received, at) =>
      String((received.body.labels as Record<string, string>).endpoint) === 'bad'
        ? errorReply(404, 'notFound', 'Not found: Table our-project:logs.t at [2:6]')(response, received, at)
        : reply(completeBody([], { schema: { fields: [{ name: 'y', type: 'INTEGER' }] } }))(
            response,
            received,
            at,
          ),
    );
    const checked = await start([draft('bad'), draft('good')]);
    expect(checked[0]?.problems).toEqual([
      {
        file: 'draft.sql',
        line: 12,
        column: 6,
        message: 'BigQuery: 404 notFound Not found: Table our-project:logs.t',
      },
    ]);
    expect(checked[1]?.problems.map(({ message }) => message)).toEqual([
      'columns.x: declared, but the SQL returns no such column',
      'the SQL returns a column y that the header does not declare under columns',
    ]);
  });

  test('reports a query that would read more than may be billed', async () => {
    fake.respondWith(reply(completeBody([], { totalBytesProcessed: '1001' })));
    const [checked] = await start([draft('one')], { BIGQUERY_MAXIMUM_BYTES_BILLED: '1000' });
    expect(checked?.problems).toMatchObject([
      { message: 'would read 1001 bytes with its examples; at most 1000 are allowed' },
    ]);
  });

  test('stops the start with BIGQUERY_START_CHECK=stop', async () => {
    fake.respondWith(errorReply(400, 'invalidQuery', 'Syntax error at [1:1]'));
    await expect(start([draft('one')], { BIGQUERY_START_CHECK: 'stop' })).rejects.toThrow(
      'draft.sql:11:1 BigQuery: 400 invalidQuery Syntax error',
    );
  });
});

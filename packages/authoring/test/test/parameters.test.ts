import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runQuerygate } from '../../../../test/support/gateway-process.ts';
import { nightly } from '../../../../test/support/nightly.ts';
import { queryText } from '../../../../test/support/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sql = `select status, count(*) as n
from web
where project in unnest(@projects) and status in unnest(@status) and ts >= @since and day <= @until
group by status order by status limit @n`;

const tests = `now: 2026-01-31T12:00:30Z
tables:
  web:
    - { project: a, ts: "2026-01-31T10:00:00Z", day: "2026-01-31", status: 200 }
    - { project: b, ts: "2026-01-31T10:00:00Z", day: "2026-01-31", status: 404 }
    - { project: a, ts: "2026-01-30T12:00:00Z", day: "2026-01-30", status: 500 }
    - { project: a, ts: "2026-01-30T11:59:59Z", day: "2026-01-30", status: 200 }
    - { project: a, ts: "2026-01-31T13:00:00Z", day: "2026-02-01", status: 200 }
tests:
  - name: defaults, which are relative to now
    parameters: { projects: [a, b] }
    expect: { rows: [{ status: 200, n: 1 }, { status: 404, n: 1 }] }
  - name: lists
    parameters: { projects: a, status: [500, 200] }
    expect: { rows: [{ status: 200, n: 1 }, { status: 500, n: 1 }] }
  - name: a limit
    parameters: { projects: [a, b], n: 1 }
    expect: { rows: [{ status: 200, n: 1 }] }
  - name: an empty list
    parameters: { projects: [a, b], status: [] }
    expect: { rows: [] }
  - name: another tenant in the list
    tenant: a
    parameters: { projects: [a, b] }
    expect: { error: FORBIDDEN }
  - name: a value outside of the bounds
    parameters: { projects: a, n: 11 }
    expect: { error: { code: INVALID_PARAMETER, message: must be between 1 and 10, parameter: n } }
`;

test('tests of saved queries have lists, and a now that relative defaults count from', async () => {
  mkdirSync(join(folder, 'tables'));
  mkdirSync(join(folder, 'tests'));
  const fields = { project: 'STRING', ts: 'TIMESTAMP', day: 'DATE', status: 'INTEGER' };
  const table = Object.entries(fields).map(([name, type]) => ({ name, type }));
  writeFileSync(join(folder, 'tables', 'web.json'), JSON.stringify(table));
  const parameters = {
    projects: '{ type: string, repeated: true, tenant: true, required: true, description: Projects. }',
    status: '{ type: integer, repeated: true, default: [200, 404], description: Statuses. }',
    since: '{ type: timestamp, bind: TIMESTAMP, default: -1d, description: Since. }',
    until: '{ type: date, bind: DATE, default: 0d, description: Until. }',
    n: '{ type: integer, bind: INT64, default: 5, min: 1, max: 10, description: Rows. }',
  };
  const columns = { status: 'integer', n: 'integer' };
  writeFileSync(join(folder, 'web.codes.sql'), queryText({ name: 'web.codes', columns, parameters, sql }));
  writeFileSync(join(folder, 'tests', 'web.codes.yaml'), tests);
  const { exitCode, output, errors } = await runQuerygate(['test', '--queries-dir', folder]);
  expect(output + errors).toContain('6 passed');
  expect(exitCode).toBe(0);
});

test('now is a moment as parameters are: without a zone it is UTC, wherever the tests run', async () => {
  const own = mkdtempSync(join(folder, 'moments-'));
  mkdirSync(join(own, 'tests'));
  writeFileSync(
    join(own, 'clock.sql'),
    queryText({
      name: 'clock',
      columns: { moment: 'string' },
      sql: 'select cast(current_timestamp() as string) as moment',
    }),
  );
  const spellings = [
    '2026-01-31T12:00:00',
    '2026-01-31 12:00',
    '2026-01-31t14:00:00+02',
    '2026-01-31T14:00:00+0200',
    '2026-01-31T12:00:00,000000Z',
  ];
  const tests = spellings.map(
    (now) =>
      `  - { name: "${now}", now: "${now}", expect: { rows: [{ moment: "2026-01-31 12:00:00+00" }] } }\n`,
  );
  writeFileSync(join(own, 'tests', 'clock.yaml'), `tests:\n${tests.join('')}`);
  const { exitCode, output, errors } = await runQuerygate(['test', '--queries-dir', own], {
    TZ: 'America/New_York',
  });
  expect(output + errors).toContain('5 passed');
  expect(exitCode).toBe(0);
});

nightly('texts that look like numbers are those that are written', async () => {
  const own = mkdtempSync(join(folder, 'texts-'));
  for (const inner of ['tables', 'tests']) mkdirSync(join(own, inner));
  const fields = [
    { name: 'shop', type: 'STRING' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    { name: 'place', type: 'RECORD', fields: [{ name: 'zip', type: 'STRING' }] },
    { name: 'n', type: 'INTEGER' },
  ];
  writeFileSync(join(own, 'tables', 'orders.json'), JSON.stringify(fields));
  writeFileSync(
    join(own, 'orders.sql'),
    queryText({
      name: 'orders',
      columns: { shop: 'string', tag: 'string', zip: 'string', n: 'integer' },
      parameters: { of: '{ type: string, default: 0012, description: Shop. }' },
      sql: 'select shop, tags[0] as tag, place.zip as zip, n from orders where shop = @of',
    }),
  );
  writeFileSync(
    join(own, 'tests', 'orders.yaml'),
    `tables:
  orders:
    - { shop: 0012, tags: [1.10], place: { zip: 08001 }, n: 0012 }
    - { shop: &yes True, tags: [1e3], place: { zip: 0x1F }, n: 3 }
    - { shop: 12 }
tests:
  - name: the default
    expect: { rows: [{ shop: 0012, tag: 1.10, zip: 08001, n: 12 }] }
  - name: another one
    parameters: { of: *yes }
    expect: { rows: [{ shop: "True", tag: "1e3", zip: "0x1F", n: 3 }] }
`,
  );
  const { exitCode, output, errors } = await runQuerygate(['test', '--queries-dir', own]);
  expect(output + errors).toContain('2 passed');
  expect(exitCode).toBe(0);
});

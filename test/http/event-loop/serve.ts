import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';

/** A saved query with an optional parameter of every type; the shipped queries have only three of them. */
const allTypes = `/*---
id: 5b0a3a51-9d0e-4a55-9c3e-0d1a3f6f7c11
description: A query with parameters of every type.
max_rows: 10
caching: 60s
parameters:
  text: { type: string, description: A text. }
  expression: { type: pattern, description: A pattern. }
  moment: { type: timestamp, description: A moment. }
  whole: { type: integer, description: An integer. }
  fraction: { type: float, description: A number. }
  flag: { type: boolean, description: A flag. }
  texts: { type: string, repeated: true, description: Texts. }
  choices:
    type: enum
    enum: Choice
    repeated: true
    description: Choices.
    values:
      first: { name: FIRST, description: The first one. }
      second: { name: SECOND, description: The second one. }
columns:
  x: { type: integer, description: A number. }
labels: [team]
---*/
select
  1 as x
from
  edge_logs as t
where
  t.id = @text
  or regexp_contains(t.id, @expression)
  or t.timestamp > @moment
  or t.id = cast(@whole as string)
  or t.id = cast(@fraction as string)
  or @flag
  or t.id in unnest(@texts)
  or t.id in unnest(@choices)
`;

/** A saved query with lists that are costly to check, conditions on its rows, and an entity. */
const lists = `/*---
id: 5b0a3a51-9d0e-4a55-9c3e-0d1a3f6f7c12
description: A query with lists.
max_rows: 1000
caching: 600s
row_arguments: all
parameters:
  ref: { type: string, required: true, description: A project., example: abc }
  number: { type: integer, description: A number. }
  moments: { type: timestamp, repeated: true, bind: TIMESTAMP, min: -4000d, max: 0d, description: Moments. }
  days: { type: date, repeated: true, bind: DATE, min: -4000d, max: 0d, description: Days. }
  shares: { type: float, repeated: true, bind: BIGNUMERIC, description: Shares. }
columns:
  id: { type: string, required: true, description: An id. }
  timestamp: { type: timestamp, required: true, description: A moment. }
federation:
  extends: Project
  key: { ref: ref }
  field: usage
  references:
    project: { entity: Project, key: { ref: id } }
---*/
select
  t.id,
  t.timestamp
from
  edge_logs as t
where
  t.id in (@ref, @number)
  or t.timestamp in unnest(@moments)
  or date(t.timestamp) in unnest(@days)
  or cast(t.id as bignumeric) in unnest(@shares)
`;

/** A row of any of these queries. */
const row = JSON.stringify({ x: 1, id: 'a', timestamp: 1, event_message: 'm', metadata: [] });

/** The service behind a real socket, with the shipped queries and one with parameters of every type. */
export const serveAllTypes = (): Promise<ServedApp> => serveWith('all.types.sql', allTypes, [row]);

/** The same with `lists`, which has a thousand rows, and entities. */
export const serveLists = (): Promise<ServedApp> =>
  serveWith(
    'lists.sql',
    lists,
    Array.from({ length: 1_000 }, (_, at) => JSON.stringify({ id: `${at}`, timestamp: at })),
    { FEDERATION: 'on' },
  );

async function serveWith(
  name: string,
  text: string,
  rows: readonly string[],
  env: Record<string, string> = {},
): Promise<ServedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-queries-'));
  cpSync('queries', folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  try {
    return await serveTestApp({ ...env, QUERIES_DIR: folder }, 1, { rows: () => rows });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

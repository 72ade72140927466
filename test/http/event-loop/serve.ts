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

/** A row of any of these queries. */
const row = JSON.stringify({ x: 1, id: 'a', timestamp: 1, event_message: 'm', metadata: [] });

/** The service behind a real socket, with the shipped queries and one with parameters of every type. */
export async function serveAllTypes(): Promise<ServedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-queries-'));
  cpSync('queries', folder, { recursive: true });
  writeFileSync(join(folder, 'all.types.sql'), allTypes);
  try {
    return await serveTestApp({ QUERIES_DIR: folder }, 1, { rows: () => [row] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

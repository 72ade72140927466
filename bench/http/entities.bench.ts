import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryText } from '../../test/support/queries.ts';
import type { Bench } from '../run.ts';
import { compareInTurns } from './compare.ts';
import { postGraphql } from './graphql-sides.ts';
import { bytesOf, makeFolder, startOver } from './sides.ts';

const columns = { ref: 'string', made: 'timestamp', count: 'integer', path: 'string' };
const fields = Object.keys(columns).join(' ');

const rowsOf = (ref: string, rows: number) => `
  select ${ref} as ref, timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n second) as made, n as count,
    concat('/rest/v1/', cast(n as string)) as path
  from unnest(generate_array(1, ${rows})) as n`;

const representations = Array.from({ length: 100 }, (_, at) => ({ __typename: 'Project', ref: `p${at}` }));
const ofEntities = `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Project { usage { rows { ${fields} } } } } }`;
const ofOne = `{ same { rows { ${fields} } } }`;

/** The least ratio of a hit of as many bytes to each: repeated, and for entities that no request has named together. */
const goals = { repeated: 0.5, new: 0.01 } as const;

const bench: Bench = {
  title: '100 representations whose results are in memory, against a cached result of as many bytes',
  async *run() {
    const folder = makeFolder();
    const caching = ['caching: 86400s'];
    writeFileSync(
      join(folder.path, 'usage.sql'),
      queryText({
        name: 'usage',
        caching: [...caching, 'federation: { extends: Project, field: usage, key: { ref: p } }'],
        parameters: { p: '{ type: string, required: true, description: P. }' },
        columns,
        sql: rowsOf('@p', 3),
      }),
    );
    writeFileSync(
      join(folder.path, 'same.sql'),
      queryText({ name: 'same', caching, columns, sql: rowsOf("'p1'", 310) }),
    );
    const gateway = await startOver(folder, { API_KEY: 'key', FEDERATION: 'on' });
    try {
      const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
      const variables = { all: representations };
      await bytesOf(`${gateway.origin}/graphql`, headers, JSON.stringify({ query: ofEntities, variables }));
      const hit = postGraphql(ofOne);
      const repeated = postGraphql(ofEntities, 'key', [], variables);
      let count = 0;
      const next = {
        repeated: () => repeated,
        new: () => {
          count += 1;
          return postGraphql(ofEntities, 'key', [], { ...variables, count });
        },
      };
      const of = { port: Number(new URL(gateway.origin).port), pid: gateway.child.pid };
      for (const title of ['repeated', 'new'] as const)
        yield await compareInTurns({
          title,
          side: { ...of, name: 'entities', nextRequest: next[title] },
          against: { ...of, name: 'a hit', nextRequest: () => hit },
          goal: goals[title],
        });
    } finally {
      await gateway.end();
      folder.remove();
    }
  },
};

export default bench;

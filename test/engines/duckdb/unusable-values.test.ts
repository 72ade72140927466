import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';

const header = (name: string) => `parameters:
  ${name}: { type: string, description: a text, required: true }
`;
const queries: Readonly<Record<string, string>> = {
  zone: "SELECT EXTRACT(HOUR FROM TIMESTAMP '2024-01-01' AT TIME ZONE @zone) AS n",
  number: 'SELECT CAST(@number AS INT64) AS n',
  pattern: "SELECT LENGTH(REGEXP_EXTRACT('né', @pattern)) AS n",
};

let gateway: FolderApp;
beforeAll(async () => {
  const files = Object.entries(queries).map(([name, sql], at) => {
    const id = uuidOf(at);
    return [`values.${name}.sql`, queryText({ id, header: header(name), sql })] as const;
  });
  gateway = await openFolderApp(Object.fromEntries(files));
});
afterAll(() => gateway.close());

test.each([
  ['zone', 'Mars/Base'],
  ['number', 'twelve'],
  ['pattern', String.raw`\w*\B`],
])('a %s that the query cannot use is the fault of its parameter', async (name, value) => {
  const response = await gateway.get(`values.${name}?${name}=${encodeURIComponent(value)}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: 'INVALID_PARAMETER', message: `${name}: got a value that the query cannot use` },
  });
});

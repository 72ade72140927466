import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The text of a saved query that needs no table. */
export function queryText({
  id = '11111111-2222-4333-8444-555555555555',
  sql = 'SELECT 1 AS n',
  header = '',
  caching = '3600s',
} = {}): string {
  return `/*---
id: ${id}
description: a query of the tests
max_rows: 100
caching: ${caching}
${header}columns:
  n: { type: integer, description: a number }
---*/
${sql}
`;
}

/** A UUID that ends with a number. */
export const uuidOf = (at: number) => `11111111-2222-4333-8444-${String(at).padStart(12, '0')}`;

export interface QueryFolder {
  readonly folder: string;
  path(name: string): string;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** Removes the folder. */
  close(): void;
}

/** A queries folder of a test. */
export function makeQueryFolder(files: Readonly<Record<string, string>>): QueryFolder {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-queries-'));
  mkdirSync(join(folder, 'tables'));
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    folder,
    path,
    write,
    remove: (name) => rmSync(path(name), { recursive: true }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Problem, StartError } from '../errors.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkCatalog } from './check-catalog.ts';
import { type ParsedQuery, parseQuery } from './header/parse-query.ts';
import type { Catalog } from './saved-query.ts';
import { loadTables } from './tables/load-tables.ts';

export const namePattern = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;

/**
 * Loads a queries folder: each `*.sql` in it is a saved query, each `tables/*.json` a table.
 *
 * @throws StartError with every problem of every file
 */
export function loadCatalog(folder: string): Catalog {
  const parsed = sqlFiles(folder).map((file) => loadQuery(join(folder, file)));
  const valid = parsed.filter((file) => file.query !== undefined);
  const queries = valid.map(({ query }) => query);
  const { tables, problems: tableProblems } = loadTables(join(folder, 'tables'));

  const problems = [
    ...parsed.flatMap((query) => query.problems),
    ...checkCatalog(queries),
    ...checkAddresses(valid),
    ...tableProblems,
  ];
  if (problems.length > 0) throw new StartError('The saved queries have problems', problems);
  return { queries, tables };
}

function sqlFiles(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter(
      (name) => !statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory(),
    );
  } catch {
    throw new StartError('The saved queries cannot be read', [
      { file: folder, message: 'is not a readable folder; QUERIES_DIR must name one' },
    ]);
  }
  const files = names.filter((name) => name.endsWith('.sql')).sort();
  if (files.length > 0) return files;
  throw new StartError('There are no saved queries', [{ file: folder, message: 'contains no *.sql file' }]);
}

function loadQuery(file: string): ParsedQuery {
  const name = basename(file, '.sql');
  const problems: Problem[] = [];
  if (!namePattern.test(name)) {
    problems.push({
      file,
      message: 'the name must be lowercase words joined by . _ or -, as in area.query-name.sql',
    });
  }
  const text = readText(file);
  if (text === undefined) return { problems: [...problems, { file, message: 'cannot be read' }] };
  const parsed = parseQuery(name, file, text);
  return problems.length === 0 ? parsed : { problems: [...problems, ...parsed.problems] };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

import { sameName } from '@querygate/bigquery-sql/types';
import { equalityColumns } from '@querygate/bigquery-sql/analysis';
import { commandError } from '@querygate/bigquery-sql/command';
import { sessionSettings } from '@querygate/bigquery-sql/duckdb';
import { type Compiled, readStored } from '@querygate/bigquery-sql/tree';
import { convertTable, isRemote, parseLake } from '@querygate/duckdb-import';
import { didYouMean } from '@querygate/text';
import { parseCatalog } from '../../catalog/folder/load-catalog.ts';
import { readFiles } from '../../catalog/folder/read-folder.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { buildAnalyze } from '../../catalog-analysis/analyze-catalog.ts';
import { distinctProblems, type Problem, StartError } from '../../errors.ts';
import { type DuckdbOptions, withDefaults } from './duckdb-options.ts';
import { openDatabase } from './open-database.ts';

/**
 * Makes Parquet files of the files of a table, sorted by the column that saved queries compare with a parameter.
 *
 * @param to the folder in which they are made
 * @throws StartError if the table is not declared, no folder is given, a file cannot be read or written, or sources that were
 *   to be removed are kept
 */
export async function convertFiles(
  { duckdb, queriesDir }: { readonly duckdb: DuckdbOptions; readonly queriesDir: string },
  name: string,
  to: string | undefined,
  removesSources: boolean,
): Promise<void> {
  const settings = withDefaults(duckdb);
  const { dataDir } = settings;
  const catalog = parseCatalog(queriesDir, readFiles(queriesDir));
  const table = catalog.tables.find((one) => sameName(one.name, name));
  if (table === undefined)
    throw commandError(
      `no table is named ${name}${didYouMean(
        name,
        catalog.tables.map((one) => one.name),
      )}`,
    );
  if (dataDir === undefined)
    throw commandError('the demo has no files; --data-dir names the folder of files');
  if (isRemote(dataDir) || parseLake(dataDir))
    throw commandError('--data-dir must be a folder: only its files are converted');
  if (to === undefined) throw commandError('--to must name the folder of the new files');
  const trees = compileAll(catalog);
  const database = await openDatabase(settings);
  const closing = new AbortController();
  const stop = () => closing.abort(new Error('interrupted'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const connect = async () => {
      const connection = await database.connect();
      await connection.run(sessionSettings.join(';'));
      return connection;
    };
    const { rows, rejected, files, kept } = await convertTable({
      ...{ connect, table, dataDir, to, removesSources, signal: closing.signal },
      *sortColumns(stored) {
        for (const { query: tree, tables } of trees) {
          if (!tables.includes(table.name)) continue;
          for (const column of equalityColumns(readStored(tree, [stored])))
            if (column.table === table.name) yield column;
        }
      },
      onProblem: (message) => console.error(message),
      onProgress: (line) => console.error(line),
    });
    console.log(
      `${counted(rows, 'row')} in ${counted(files, 'file')}${rejected === 0 ? '' : `; ${counted(rejected, 'unreadable row')} left out`}`,
    );
    if (kept.length > 0) throw new StartError('Sources are kept', shownOf(kept));
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    database.close();
  }
}

/** The saved queries, by whose conditions rows are sorted. @throws StartError if the SQL of some is wrong */
function compileAll(catalog: Catalog): readonly Compiled[] {
  const { queries, analysisOf } = buildAnalyze({ sql: 'bigquery' })(catalog);
  const problems: Problem[] = [];
  const trees = queries.flatMap((query) => {
    try {
      return [analysisOf(query).compiled()];
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0)
    throw new StartError('The saved queries by which files are sorted are wrong', distinctProblems(problems));
  return trees;
}

/** Further sources are only counted. */
const maxShown = 10;

const shownOf = (kept: readonly Problem[]): readonly Problem[] =>
  kept.length <= maxShown
    ? kept
    : [...kept.slice(0, maxShown), { message: `and ${kept.length - maxShown} more` }];

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { CheckOptions } from '../../engine-contract/engine-factory.ts';
import { type Problem, StartError } from '../../errors.ts';
import { openClient, requireServer } from './client.ts';
import { prepareForServer } from './prepare.ts';
import type { QuackSettings } from './quack-options.ts';

/**
 * The problems of every query of the catalog that no server can run, and of its tables if the server can be reached: SQL needs
 * no server to be checked.
 */
export async function checkQueries(
  catalog: AnalyzedCatalog,
  { onNote }: Pick<CheckOptions, 'onNote'>,
  settings: QuackSettings,
): Promise<readonly Problem[]> {
  const client = await openClient(settings);
  try {
    const { planning, defineMacros } = client;
    const { problems, read } = await prepareForServer(planning, catalog, { defineMacros, planAll: true });
    const ofTables = await checkTables(() => client.openSessions(() => read).then(requireServer), onNote);
    return [...[...problems.values()].flat(), ...ofTables];
  } finally {
    client.database.close();
  }
}

async function checkTables(
  check: () => Promise<void>,
  onNote: CheckOptions['onNote'],
): Promise<readonly Problem[]> {
  try {
    await check();
  } catch (error) {
    if (error instanceof StartError) return error.problems;
    onNote?.(`The tables of the server have not been compared with those that are declared: ${error}`);
  }
  return [];
}

import { readFileSync } from 'node:fs';
import { unfinishedTexts } from '../catalog/header/unfinished.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import { parseVersionName } from '../catalog/model/version-name.ts';
import { isDefaultVersion, seriesOf } from '../catalog/model/versions.ts';
import type { Config } from '../config.ts';
import { problemOf } from '@querygate/bigquery-sql/problem';
import type { Partitioning, QueryCheck } from '../engine-contract/engine.ts';
import { configuredEngine } from './configured-engine.ts';
import { limitsOf } from '../engines/checked-engine.ts';
import { recordNotes } from '../catalog-analysis/check-records.ts';
import { type AnalyzedCatalog, buildAnalyze } from '../catalog-analysis/analyze-catalog.ts';
import { assertionProblems } from '../catalog-analysis/assertion-problems.ts';
import { allProblems, sqlProblems, unreadProblems } from '../catalog-analysis/sql-problems.ts';
import { loadChecks } from '../catalog/folder/load-checks.ts';
import { CatalogError, parseCatalog } from '../catalog/folder/load-catalog.ts';
import { misplacedFiles } from '../catalog/folder/misplaced-files.ts';
import { readFolder } from '../catalog/folder/read-folder.ts';
import { readParts } from '../catalog/folder/read-parts.ts';
import { uncheckedQueries } from '../catalog-analysis/tenant-filters.ts';
import { distinctProblems, type Problem, StartError } from '../errors.ts';
import { agentTextProblems } from './agent-texts.ts';
import { loadPrompts } from '../plugins/mcp/prompts/load-prompts.ts';
import {
  groupedUnsharedNotes,
  openSharing,
  type UnsharedQuery,
  unsharedNotes,
  unsharedQueries,
} from './sharing.ts';
import { commandError } from './arguments.ts';
import { type Forecast, forecastCosts } from './forecast/forecast.ts';
import { forecastLines, limitProblem } from './forecast/forecast-text.ts';
import {
  type ForecastFlags,
  type ForecastLimits,
  parseForecastLimits,
  requireBytes,
} from './forecast/forecast-limits.ts';
import { incrementalNotes } from './incremental-notes.ts';
import { once } from '../memoize.ts';
import { atHeaderLines } from '../problems/header-lines.ts';
import { withMeantParts } from '../problems/meant-parts.ts';
import { problemsText, readText } from '../problems/print-problems.ts';
import { githubAnnotation } from '../problems/report-problems.ts';

export interface CheckOptions extends ForecastFlags {
  readonly json?: boolean;
  readonly github?: boolean;
  /** Schemas of other subgraphs with which the saved queries are composed. */
  readonly compose?: readonly string[];
}

/** The outcome of a check. */
interface CheckReport {
  /** Undefined if the files could not be loaded. */
  readonly catalog: Catalog | undefined;
  readonly problems: readonly Problem[];
  readonly summary: string;
  readonly checks: readonly QueryCheck[];
  /** Their costs, from an engine that reports bytes. */
  readonly forecasts: ReadonlyMap<SavedQuery, Forecast>;
  readonly unshared: readonly UnsharedQuery[];
  /** The parts that have not been checked. */
  readonly notes: readonly string[];
}

/**
 * `querygate check`: checks every saved query without starting the service.
 *
 * @returns whether all are valid
 * @throws StartError if the settings are wrong
 */
export async function checkQueries(config: Config, options: CheckOptions): Promise<boolean> {
  const maximumBytes = parseBytes(options.maximumBytes);
  const limits = parseForecastLimits(options);
  const found = await check(config, maximumBytes, limits, options);
  const report = { ...found, problems: atHeaderLines(found.problems, readText) };
  if (options.json) printJson(report);
  else printText(report);
  // GitHub reads both streams, and a document of JSON is alone in its own.
  const stream = options.json ? process.stderr : process.stdout;
  if (options.github) for (const problem of report.problems) stream.write(githubAnnotation(problem));
  return report.problems.length === 0;
}

async function check(
  config: Config,
  maximumBytes: number | undefined,
  limits: ForecastLimits,
  options: CheckOptions,
): Promise<CheckReport> {
  const { queriesDir } = config;
  const checks: QueryCheck[] = [];
  const notes: string[] = [...misplacedFiles(queriesDir)];
  const partitions = new Map<string, Partitioning>();
  const engine = await configuredEngine(config);
  const reportsBytes = requireBytes(engine, options);
  const checkSql = (catalog: AnalyzedCatalog) =>
    engine.check(catalog, {
      limits: limitsOf(config),
      maximumBytes,
      onChecked: (check: QueryCheck) => void checks.push(check),
      onPartitioning: (table, one) => void partitions.set(table, one),
      onNote: (note: string) => void notes.push(note),
    });
  const files = once(() => readFolder(queriesDir, (path) => path.endsWith('.sql')));
  const parts = once(() => readParts(queriesDir, files()));
  const meant = (problems: readonly Problem[]) => withMeantParts(problems, () => parts().library);
  const checkAssertions = ({ tables }: Pick<Catalog, 'tables'>) => {
    const found = loadChecks(queriesDir, parts);
    const asserted = found.flatMap(({ assertions }) => assertions);
    return [...found.flatMap(({ problems }) => problems), ...assertionProblems(asserted, tables, engine)];
  };
  const withOthers = async (error: CatalogError) =>
    allProblems(error, [
      ...(await checkSql(buildAnalyze(engine)(error.catalog))),
      ...sqlProblems(error, engine, error.broken),
      ...checkAssertions(error.catalog),
      ...unfinishedProblems(error.catalog),
    ]);
  let catalog: AnalyzedCatalog;
  try {
    catalog = buildAnalyze(engine)(parseCatalog(queriesDir, files(), parts()));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { summary, problems } = summaryOf(error instanceof CatalogError ? await withOthers(error) : error);
    const nothing = { catalog: undefined, forecasts: new Map(), unshared: [] };
    return { ...nothing, checks, notes, summary, problems: meant(problems) };
  }
  const found = distinctProblems([...(await checkSql(catalog)), ...unreadProblems(catalog, engine)]);
  const problemOfSharing = openSharing(catalog, engine);
  const given = { engine, limits: limitsOf(config), tenants: limits.tenants, checks, partitions };
  const { reservation } = config.bigquery;
  const forecasts = reportsBytes
    ? await forecastCosts(catalog, { ...given, problemOfSharing, reservation })
    : [];
  const overLimit = limitProblems(forecasts, limits);
  const asserted = checkAssertions(catalog);
  const composed = await composedProblems(catalog, options.compose ?? []);
  const [, summary = 'Saved queries have texts that are wrong'] =
    [
      [found, 'Saved queries cannot be served'] as const,
      [composed, 'The subgraphs cannot be composed'] as const,
      [asserted, 'Checks cannot run'] as const,
      [overLimit, 'Saved queries would cost too much'] as const,
    ].find(([problems]) => problems.length > 0) ?? [];
  if (found.length === 0) notes.push(...(await incrementalNotes(catalog, engine)));
  if (!engine.checksSql) notes.push(`the SQL is not checked: the engine ${engine.name} has no check`);
  return {
    ...{ catalog, summary, checks, notes },
    problems: [
      ...meant(distinctProblems([...found, ...asserted, ...overLimit])),
      ...unfinishedProblems(catalog),
      ...agentTextProblems(catalog),
      ...loadPrompts(config.promptsDir).problems,
      ...composed,
    ],
    forecasts: new Map(forecasts.map((forecast) => [forecast.query, forecast])),
    unshared: unsharedQueries(catalog, problemOfSharing),
  };
}

const limitProblems = (forecasts: readonly Forecast[], limits: ForecastLimits): readonly Problem[] =>
  forecasts.flatMap((forecast) => {
    const { name, source } = forecast.query;
    const message = limitProblem(forecast, limits);
    return message === undefined ? [] : [problemOf(source, `${name} ${message}`)];
  });

/** Without other subgraphs, what composes them need not be installed. */
const composedProblems = async (
  catalog: Catalog,
  subgraphs: readonly string[],
): Promise<readonly Problem[]> =>
  subgraphs.length === 0 ? [] : (await import('./compose.ts')).compositionProblems(catalog, subgraphs);

function summaryOf({ message, problems }: StartError): Pick<CheckReport, 'problems' | 'summary'> {
  const [summary = ''] = message.split(':\n');
  return { problems, summary };
}

const unfinishedProblems = ({ queries }: Catalog): readonly Problem[] =>
  queries.flatMap(({ source: { file } }) => unfinishedTexts(file, readFileSync(file, 'utf8')));

function parseBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw commandError(`--maximum-bytes: got ${JSON.stringify(text)}; must be a whole number of bytes`);
}

function printText({ catalog, checks, forecasts, unshared, notes, problems, summary }: CheckReport): void {
  for (const check of checks) {
    printBytes(check);
    const forecast = forecasts.get(check.query);
    for (const line of forecast ? forecastLines(forecast) : []) process.stdout.write(`  ${line}\n`);
  }
  if (problems.length > 0) return void process.stderr.write(problemsText(new StartError(summary, problems)));
  if (catalog === undefined) return;
  for (const line of [
    ...uncheckedQueries(catalog),
    ...recordNotes(catalog),
    ...versionLines(catalog),
    ...notes,
    ...groupedUnsharedNotes(unshared),
  ])
    process.stdout.write(`${line}\n`);
  const { length } = catalog.queries;
  process.stdout.write(`${length} ${length === 1 ? 'saved query is' : 'saved queries are'} valid\n`);
}

/** Which version the name of a query means, where there are several; and which endpoints are deprecated. */
function versionLines({ queries }: Catalog): readonly string[] {
  const defaults = [...seriesOf(queries).values()].flatMap(({ base, versions, defaultVersion }) => {
    const numbers = versions.map(({ name }) => parseVersionName(name).version);
    if (versions.length === 1 && defaultVersion?.name === base) return [];
    const means =
      defaultVersion === undefined
        ? `has no default: write default: true into the header of one, or callers must use ${base}@${numbers[0]}`
        : `means version ${parseVersionName(defaultVersion.name).version}`;
    return [`${base} ${means}; versions: ${numbers.join(', ')}`];
  });
  const deprecations = queries.flatMap(({ name, deprecated }) =>
    deprecated === undefined
      ? []
      : [
          `${name} is deprecated since ${deprecated.since}${deprecated.sunset === undefined ? '' : `, until ${deprecated.sunset}`}`,
        ],
  );
  return [...defaults, ...deprecations];
}

function printBytes({ query, bytesProcessed, problems }: QueryCheck): void {
  const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
  if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
}

function printJson({ catalog, checks, forecasts, problems, ...report }: CheckReport): void {
  const queries = catalog?.queries.map((query) => ({
    name: query.name,
    id: query.id,
    version: parseVersionName(query.name).version,
    isDefault: isDefaultVersion(catalog, query),
    deprecated: query.deprecated,
    file: query.source.file,
    bytesProcessed: checks.find((one) => one.query.name === query.name)?.bytesProcessed,
    tenantUnchecked: query.tenantUnchecked,
    forecast: withoutQuery(forecasts.get(query)),
  }));
  const records = catalog === undefined ? [] : recordNotes(catalog);
  const notes = [...records, ...report.notes, ...unsharedNotes(report.unshared)];
  // Engines of others may add members of a query's source.
  const shown = problems.map(({ file, line, column, message }) => ({ file, line, column, message }));
  const document = { valid: problems.length === 0, queries: queries ?? [], problems: shown, notes };
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

const withoutQuery = (forecast: Forecast | undefined): Omit<Forecast, 'query'> | undefined => {
  if (forecast === undefined) return undefined;
  const { query: _, ...others } = forecast;
  return others;
};

import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { atHeaderLines, buildAnalyze, parseCatalog, readFolder, unreadProblems } from 'querygate/catalog';
import type { AnalyzedCatalog, Catalog, CheckOptions, QueryCheck, SavedQuery } from 'querygate';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { commandError } from '@querygate/bigquery-sql/command';
import type { CatalogFiles } from '../catalog-types.ts';
import { paintFor } from '../test/print-outcomes.ts';
import type { Workspace } from '../workspace.ts';
import {
  type CatalogDiff,
  compareCatalogs,
  type EndpointDiff,
  type Measure,
  type MeasureCosts,
  type Validate,
} from './compare-catalogs.ts';
import { findInvalid, placeOf } from './find-invalid.ts';
import { openRepository, resolveRef } from './git/open-repository.ts';
import { readAtCommit } from './git/read-at-commit.ts';
import { loadBefore } from './load-before.ts';
import { openPlaces } from './places.ts';
import { annotations, reportJson, reportText } from './print-report.ts';
import { countLevels, type Report } from './report.ts';

/** The options of `querygate diff`. */
export interface DiffOptions {
  /** The least severe level with which the command fails. */
  readonly failOn?: string;
  /** As `--max-bytes-ratio` gives it. */
  readonly maxBytesRatio?: string;
  /** As `--maximum-usd-per-month` and `--tenants` give them. */
  readonly maximumUsdPerMonth?: string;
  readonly tenants?: string;
  readonly json?: boolean;
  readonly github?: boolean;
}

/**
 * Says what has changed for callers since a commit: `querygate diff`.
 *
 * @returns true if no change has the level with which it fails
 * @throws ProblemError if one of the versions cannot be read, or GraphQL Inspector is not installed
 */
export async function diffQueries(workspace: Workspace, ref: string, options: DiffOptions): Promise<boolean> {
  const maxRatio = parseRatio(options.maxBytesRatio);
  const { engine, limits } = workspace;
  const forecast = workspace.openForecast(options);
  const reportsBytes = engine.flags?.reportsBytes ?? false;
  if (maxRatio !== undefined && !reportsBytes)
    throw commandError(
      `--max-bytes-ratio: ${engine.name} reports no bytes, as BigQuery does; use it with --engine bigquery`,
    );
  const files = readFolder(workspace.queriesDir);
  const parsed = loadNow(workspace.queriesDir, files);
  const analyze = buildAnalyze(engine);
  const catalog = analyze(parsed);
  const repository = openRepository(workspace.queriesDir);
  const commit = resolveRef(repository, ref);
  const oldFiles = readAtCommit(repository, commit);
  const before = loadBefore(workspace.queriesDir, oldFiles ?? new Map(), { files, catalog: parsed });
  const old = { ...before, catalog: analyze(before.catalog) };

  const failed: string[] = [];
  const onFailed = (note: string) => void failed.push(note);
  const checks: QueryCheck[] = [];
  const measure: Measure = async (pairs) => {
    if (!reportsBytes || pairs.length === 0) return () => [];
    const { measureBytes } = await import('./measure-bytes.ts');
    const check = (one: AnalyzedCatalog, onChecked: CheckOptions['onChecked']) =>
      engine.check(one, {
        ...{ limits, maximumBytes: Number.MAX_SAFE_INTEGER },
        onChecked(checked) {
          checks.push(checked);
          onChecked(checked);
        },
      });
    const given = { before: old.catalog, after: catalog, maxRatio, onFailed };
    return measureBytes(pairs, { check, maximumBytes: engine.maximumBytes, ...given });
  };
  const measureCosts: MeasureCosts = async (pairs) => {
    if (forecast === undefined || pairs.length === 0) return () => [];
    const { compareCosts } = await import('./compare-costs.ts');
    return compareCosts(pairs, { forecast, before: old.catalog, after: catalog, checks });
  };
  const unread = unreadProblems(parsed, engine).map(
    (problem) => `${placeOf([problem])} is not valid: ${problem.message}`,
  );
  let hasInvalid = unread.length > 0;
  const validate: Validate = async (pairs) => {
    // Where bytes are reported, finding all problems of the SQL is a dry run of each query.
    const check = (one: AnalyzedCatalog) =>
      reportsBytes ? engine.checkFiles(one) : engine.check(one, { limits, onChecked: () => {} });
    const inHeaders = async (one: AnalyzedCatalog) => atHeaderLines(await check(one), textOf);
    const given = { before: old.catalog, after: catalog, ref, onNote: onFailed };
    const found = await findInvalid(pairs, { ...given, check: inHeaders });
    hasInvalid ||= found.count > 0;
    return found.changesOf;
  };
  const compared = await compareCatalogs(old, catalog, measure, measureCosts, validate);

  const missing = `${workspace.queriesDir} did not exist at ${ref}: every endpoint is new`;
  const notes = [
    ...(oldFiles === undefined ? [missing] : []),
    ...compared.notes,
    ...failed,
    ...unread,
    ...(reportsBytes ? [] : unmeasured(engine.name, compared)),
  ];
  const report = toReport({
    ...{ ref, commit, workspace, files, compared, notes },
    oldFiles: oldFiles ?? new Map(),
    path: repository.path,
  });
  process.stdout.write(options.json ? reportJson(report) : reportText(report, paintFor(process.stdout)));
  // GitHub reads both streams, and a document of JSON is alone in its own.
  if (options.github) (options.json ? process.stderr : process.stdout).write(annotations(report));
  requireValid(report, hasInvalid);
  return passes(report, options);
}

function passes(report: Report, { failOn }: DiffOptions): boolean {
  const { breaking, dangerous } = countLevels(report);
  if (failOn === 'never') return true;
  return breaking === 0 && (failOn !== 'dangerous' || dangerous === 0);
}

function parseRatio(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ratio = Number(text);
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) && ratio > 0) return ratio;
  throw commandError(`--max-bytes-ratio: got ${JSON.stringify(text)}; must be a number, as in 1.5`);
}

function loadNow(folder: string, files: CatalogFiles): Catalog {
  try {
    return parseCatalog(folder, files);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(
      'The saved queries have problems, which querygate check shows too',
      error.problems,
    );
  }
}

/** The report has said why. */
function requireValid({ endpoints }: Report, hasInvalid: boolean): void {
  const names = endpoints.flatMap(({ name, changes }) =>
    changes.some(({ kind }) => kind === 'query-invalid') ? [name] : [],
  );
  if (!hasInvalid && names.length === 0) return;
  const message = `not valid, as the report says${names.length === 0 ? '' : `: ${names.join(', ')}`}`;
  throw new ProblemError('The saved queries have problems, which querygate check shows too', [{ message }]);
}

const textOf = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

const unmeasured = (engine: string, { measurable }: CatalogDiff): readonly string[] =>
  measurable.length === 0
    ? []
    : [`bytes are not compared: ${engine} does not report them, as BigQuery does (--engine bigquery)`];

interface ReportParts {
  readonly ref: string;
  readonly commit: string;
  readonly workspace: Workspace;
  readonly files: CatalogFiles;
  readonly oldFiles: CatalogFiles;
  /** Of the folder, in the repository. */
  readonly path: string;
  readonly compared: CatalogDiff;
  readonly notes: readonly string[];
}

function toReport({ ref, commit, workspace, files, oldFiles, path, compared, notes }: ReportParts): Report {
  const pathOf = ({ source }: SavedQuery) => relative(workspace.queriesDir, source.file);
  const lineOf = openPlaces(pathOf, files);
  const oldLineOf = openPlaces(pathOf, oldFiles);
  const placeOf = ({ after }: EndpointDiff, header: readonly string[]) =>
    after && { file: after.source.file, line: lineOf(after, header) };
  // As `git show` takes it.
  const oldPlaceOf = ({ before }: EndpointDiff, header: readonly string[]) =>
    before && {
      file: `${ref}:${[path, pathOf(before)].filter(Boolean).join('/')}`,
      line: oldLineOf(before, header),
    };
  const endpoints = compared.endpoints.map((endpoint) => ({
    name: endpoint.name,
    changes: endpoint.changes.map(({ path: header, text, isRemoved, place, schema, ...change }) => ({
      kind: change.kind,
      level: change.level,
      rest: change.rest,
      graphql: change.graphql,
      message: text,
      effect: change.effect,
      place: place ?? placeOf(endpoint, header),
      before: isRemoved ? oldPlaceOf(endpoint, header) : undefined,
      schema: schema.map(({ header: _, ...found }) => found),
    })),
  }));
  return { ref, commit, endpoints, unchanged: compared.unchanged, notes };
}

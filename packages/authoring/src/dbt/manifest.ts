import { readFileSync, statSync } from 'node:fs';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { decodeUtf8, foldName, NotUtf8, visibleLine } from '@querygate/text';
import { describeIssue, schemaProblems } from 'querygate/catalog';
import { z } from 'zod';

/** A column as a file of properties describes it. A name with dots is that of a field in a record. */
export interface DbtColumn {
  readonly name: string;
  readonly dataType: string | undefined;
  readonly description: string | undefined;
}

/** A source, seed, snapshot or model of a dbt project, or another node that has SQL. */
export interface DbtNode {
  readonly id: string;
  /** `source`, `seed`, `snapshot`, `model`, `test` and others. */
  readonly kind: string;
  readonly packageName: string;
  readonly name: string;
  readonly sourceName: string | undefined;
  readonly version: string | number | undefined;
  /** Project, dataset and table on BigQuery, as far as they are known; a model that is ephemeral has none. */
  readonly path: readonly string[];
  /** The file in the project that describes it, or that has its SQL or its rows. */
  readonly file: string;
  readonly description: string | undefined;
  readonly columns: readonly DbtColumn[];
  readonly materialized: string | undefined;
  readonly isSql: boolean;
  readonly compiled: string | undefined;
  /** The group whose models alone may refer to it. */
  readonly privateGroup: string | undefined;
}

/** The kinds of nodes that others can read. */
export const relationKinds: readonly string[] = ['source', 'seed', 'snapshot', 'model'];

/** True for a node that others can read. */
export const isRelation = ({ kind }: DbtNode): boolean => relationKinds.includes(kind);

/** A project as `dbt compile` describes it. */
export interface Manifest {
  readonly project: string | undefined;
  readonly nodes: readonly DbtNode[];
  readonly disabled: readonly string[];
  /** The functions that the project defines on BigQuery. */
  readonly functions: readonly string[];
}

/** Manifests of dbt 1.5 to 1.12. */
const versions = { least: 9, most: 12 };

/** Beyond what Node takes as one text. */
const maxBytes = 500_000_000;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

const columnSchema = z.object({ name: z.string(), data_type: text, description: text });

const nodeSchema = z.object({
  resource_type: z.string(),
  package_name: z.string(),
  name: z.string(),
  source_name: text,
  version: z.union([z.string(), z.number()]).nullish(),
  database: text,
  schema: text,
  alias: text,
  identifier: text,
  original_file_path: z.string().default(''),
  description: text,
  columns: z
    .record(z.string(), columnSchema)
    .nullish()
    .transform((value) => value ?? {}),
  config: z
    .object({ materialized: text, column_types: z.record(z.string(), z.string()).nullish() })
    .nullish()
    .transform((value) => value ?? { materialized: undefined }),
  language: text,
  compiled_code: text,
  access: text,
  group: text,
});

const manifestSchema = z.object({
  metadata: z.object({ project_name: text }),
  nodes: z.record(z.string(), nodeSchema),
  sources: z.record(z.string(), nodeSchema),
  disabled: z.record(z.string(), z.unknown()).nullish(),
  functions: z.record(z.string(), z.unknown()).nullish(),
});

/** Reads `target/manifest.json` of a dbt project. @throws ProblemError */
export function readManifest(file: string): Manifest {
  const data = readJson(file);
  const wrong = kindProblem(data);
  if (wrong !== undefined) throw problemOf(file, wrong);
  const parsed = manifestSchema.safeParse(data, { error: describeIssue });
  if (!parsed.success)
    throw new ProblemError(
      summary,
      schemaProblems(parsed.error).map(({ message }) => ({ file, message })),
    );
  const { metadata, nodes, sources, disabled, functions } = parsed.data;
  return {
    project: metadata.project_name,
    nodes: Object.entries({ ...sources, ...nodes }).map(([id, node]) => toNode(id, node)),
    disabled: Object.keys(disabled ?? {}).map(visibleLine),
    functions: Object.keys(functions ?? {}).map(visibleLine),
  };
}

const summary = 'The manifest cannot be read';

const problemOf = (file: string, message: string) => new ProblemError(summary, [{ file, message }]);

function readJson(file: string): unknown {
  let content: string;
  try {
    const { size } = statSync(file);
    if (size > maxBytes) throw problemOf(file, `has ${size} bytes; at most ${maxBytes} are read`);
    content = decodeUtf8(readFileSync(file));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (error instanceof NotUtf8)
      throw new ProblemError(summary, [{ file, line: error.line, message: error.message }]);
    throw problemOf(
      file,
      `cannot be read (${(error as NodeJS.ErrnoException).code}); dbt compile writes target/manifest.json in the folder of its project`,
    );
  }
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch {
    throw problemOf(file, 'is not valid JSON, as dbt compile writes it to target/manifest.json');
  }
}

/** Why data is not a manifest that can be read. */
function kindProblem(data: unknown): string | undefined {
  const { metadata } = (data ?? {}) as { readonly metadata?: Readonly<Record<string, unknown>> };
  const name = String(metadata?.dbt_schema_version ?? '');
  const [, kind, number = ''] = /\/dbt\/([\w-]+)\/v(\d+)\.json$/.exec(name) ?? [];
  if (kind === undefined)
    return 'is not a manifest of dbt, which says metadata.dbt_schema_version; dbt compile writes target/manifest.json';
  if (kind !== 'manifest') return `is the ${kind} of dbt; the manifest is manifest.json beside it`;
  if (Number(number) < versions.least || Number(number) > versions.most)
    return `is a manifest of version ${number}; those of versions ${versions.least} to ${versions.most} can be read`;
  const adapter = metadata?.adapter_type;
  return adapter === 'bigquery'
    ? undefined
    : `is of a project for ${JSON.stringify(adapter ?? null)}, whose SQL is not that of BigQuery; compile it with dbt-bigquery`;
}

function toNode(id: string, node: z.output<typeof nodeSchema>): DbtNode {
  const types = new Map(
    Object.entries(node.config.column_types ?? {}).map(([name, type]) => [foldName(name), type]),
  );
  const described = Object.values(node.columns).map(({ name, data_type, description }) => ({
    name,
    dataType: data_type ?? types.get(foldName(name)),
    description: description?.trim() || undefined,
  }));
  const names = new Set(described.map(({ name }) => foldName(name)));
  const typedOnly = Object.entries(node.config.column_types ?? {})
    .filter(([name]) => !names.has(foldName(name)))
    .map(([name, dataType]) => ({ name, dataType, description: undefined }));
  const { materialized } = node.config;
  const table = node.identifier ?? node.alias ?? node.name;
  return {
    id: visibleLine(id),
    kind: node.resource_type,
    packageName: node.package_name,
    name: node.name,
    sourceName: node.source_name,
    version: node.version ?? undefined,
    path: materialized === 'ephemeral' ? [] : [node.database, node.schema, table].flatMap((one) => one ?? []),
    file: node.original_file_path,
    description: node.description?.trim() || undefined,
    columns: [...described, ...typedOnly],
    materialized,
    isSql: node.language === undefined || node.language === 'sql',
    compiled: node.compiled_code?.trim() || undefined,
    privateGroup: node.access === 'private' ? node.group : undefined,
  };
}

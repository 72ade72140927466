import { commandError } from '@querygate/bigquery-sql/command';
import type { SavedQuery } from 'querygate';
import { visibleText } from '@querygate/text';
import { loadAnalyzed } from 'querygate/catalog';
import { stringify } from 'yaml';
import { type DbtNode, isRelation, readManifest } from './manifest.ts';
import { openProjectReads } from './project-reads.ts';

/** The options of `querygate exposures`. */
export interface ExposureOptions {
  /** Who answers for the endpoints: a name, or an address of mail. */
  readonly owner: string;
  /** The address at which callers reach the gateway. */
  readonly url?: string;
}

/**
 * Prints the saved queries that read a dbt project as its exposures: `querygate exposures`. The others, and tables that the
 * project does not have, are named on standard error.
 *
 * @throws ProblemError if the manifest, the folder or an option is wrong
 */
export function printExposures(
  queriesDir: string,
  manifestFile: string,
  { owner, url }: ExposureOptions,
): void {
  const base = url === undefined ? undefined : baseOf(url);
  const manifest = readManifest(manifestFile);
  const { queries } = loadAnalyzed(queriesDir);
  const readsOf = openProjectReads(queriesDir, manifest.nodes.filter(isRelation));
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  const exposures = queries.flatMap((query) => {
    const { nodes, unknown } = readsOf(query.name);
    const hidden = nodes.filter(({ privateGroup }) => privateGroup !== undefined);
    for (const { id, privateGroup } of hidden)
      note(
        `${query.name} reads ${id}, which no exposure may name: it is private to the group ${privateGroup}`,
      );
    if (unknown.length > 0) note(`${query.name} reads ${unknown.join(', ')}: not known in the project`);
    const named = nodes.filter((node) => !hidden.includes(node));
    if (named.length === 0) {
      note(`${query.name} is no exposure: it reads nothing of the project`);
      return [];
    }
    const references = named.map((node) => referenceTo(node, manifest.project)).sort();
    return [exposureOf(query, { references, owner, base })];
  });
  process.stdout.write(textOf(exposures));
}

interface Exposure {
  readonly references: readonly string[];
  readonly owner: string;
  readonly base: string | undefined;
}

const exposureOf = (
  { name: label, id, description, tags = [] }: SavedQuery,
  { references, owner, base }: Exposure,
) => ({
  name: exposureName(label),
  label,
  type: 'application',
  ...(base !== undefined && { url: `${base}/api/endpoints/query/${encodeURIComponent(label)}` }),
  description: dbtText(description),
  depends_on: references,
  owner: { [/^\S+@\S+$/.test(owner) ? 'email' : 'name']: dbtText(owner) },
  config: { ...(tags.length > 0 && { tags }), meta: { querygate_id: id } },
});

/** Texts are in quotes, because dbt reads YAML 1.1, in which `on`, `1:30` and `<<` have other meanings. */
const textOf = (exposures: readonly object[]): string =>
  stringify(
    { version: 2, exposures },
    { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 },
  );

/** A text as dbt reads it back: it renders texts as templates, and some hidden characters end lines of YAML 1.1. */
const dbtText = (text: string): string =>
  visibleText(text.toWellFormed()).replace(/\{(?=[{%#])/g, "{{ '{' }}");

/** Letters, digits and `_`. No two are equal, as names in GraphQL are not. */
const exposureName = (query: string): string => query.replace('@', '_v').replace(/\W+/g, '_');

/** How dbt names a node in `depends_on`. */
function referenceTo(
  { kind, name, sourceName, packageName, version }: DbtNode,
  project: string | undefined,
): string {
  if (kind === 'source') return `source(${quoted(sourceName ?? '')}, ${quoted(name)})`;
  const names = packageName === project ? [name] : [packageName, name];
  const versions =
    version === undefined ? [] : [`v=${typeof version === 'number' ? version : quoted(version)}`];
  return `ref(${[...names.map(quoted), ...versions].join(', ')})`;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash)
    throw commandError(
      `--url: got ${JSON.stringify(url)}; must be the address of the gateway, as in https://api.example.com`,
    );
  return parsed.href.replace(/\/+$/, '');
}

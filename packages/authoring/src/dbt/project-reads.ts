import { ProblemError } from '@querygate/bigquery-sql/problem';
import { foldName } from '@querygate/text';
import { readFolder, readParts } from 'querygate/catalog';
import type { FolderParts } from '../catalog-types.ts';
import type { DbtNode } from './manifest.ts';

type Unit = NonNullable<ReturnType<FolderParts['library']['fileAt']>>['units'][number];

/** The nodes of a project that a saved query reads, itself or through parts that are not of the project. */
export interface ProjectReads {
  readonly nodes: readonly DbtNode[];
  /** The tables that no node is, or that may be several. */
  readonly unknown: readonly string[];
}

/** Finds what saved queries of a folder read of a project, by their names. @throws ProblemError if one has no meaning */
export function openProjectReads(
  queriesDir: string,
  nodes: readonly DbtNode[],
): (query: string) => ProjectReads {
  const { library } = readParts(queriesDir, readFolder(queriesDir));
  const nodesNamed = buildNames(nodes);
  return (query) => {
    const found = new Set<DbtNode>();
    const unknown = new Set<string>();
    const seen = new Set<Unit>();
    const readTable = (path: readonly string[]): void => {
      const part = library.tableNamed(path);
      const unit = part && 'unit' in part ? part.unit : undefined;
      const named = nodesNamed(path, unit);
      for (const node of named) found.add(node);
      if (named.length > 0) return;
      if (unit) read(unit);
      else unknown.add(path.join('.'));
    };
    const read = (unit: Unit): void => {
      if (seen.has(unit)) return;
      seen.add(unit);
      for (const { path } of unit.names.tables) readTable(path.parts.map(({ name }) => name));
      for (const { name } of unit.names.calls) {
        const called = library.functionNamed(name.parts.map((part) => part.name));
        if (called && 'unit' in called) read(called.unit);
      }
    };
    const { units = [], problems = [] } = library.fileAt(`${query}.sql`) ?? {};
    if (problems.length > 0) throw new ProblemError('The saved queries have problems', problems);
    for (const unit of units) read(unit);
    return { nodes: [...found], unknown: [...unknown] };
  };
}

/** @returns the nodes that a name in FROM means, with the part that has this name, if there is one */
function buildNames(nodes: readonly DbtNode[]) {
  const relations = nodes.filter(({ path }) => path.length > 0);
  const byTable = Map.groupBy(relations, lastOf);
  const ephemeral = new Map(
    nodes.filter(({ path }) => path.length === 0).map((node) => [foldName(node.name), node]),
  );
  return (path: readonly string[], part: Unit | undefined): readonly DbtNode[] => {
    const inlined = part?.kind === 'query' ? ephemeral.get(part.name.replace('query.', '')) : undefined;
    if (inlined) return [inlined];
    const table = foldName(path.at(-1) ?? '');
    const around = path.slice(0, -1).map((name) => foldName(name));
    const isAround = (node: DbtNode) =>
      around.every((name, at) => foldName(node.path.at(at - path.length) ?? '') === name);
    const shards = longest(relations.filter((node) => isAround(node) && isWithin(table, lastOf(node))));
    if (table.endsWith('*'))
      return relations.filter(
        (node) => shards.includes(node) || (isAround(node) && isWithin(lastOf(node), table)),
      );
    const named = byTable.get(table)?.filter(isAround) ?? (part === undefined ? shards : []);
    // The name alone is that of a table of the folder: models are mostly views, with their dataset.
    const tables = around.length === 0 ? named.filter(({ kind }) => kind !== 'model') : [];
    const meant = tables.length > 0 ? tables : named;
    return meant.length === 1 ? meant : [];
  };
}

/** The nodes with the longest names: a table is of `events_intraday_*`, and not of `events_*`. */
function longest(nodes: readonly DbtNode[]): readonly DbtNode[] {
  const most = Math.max(...nodes.map((node) => lastOf(node).length));
  return nodes.filter((node) => lastOf(node).length === most);
}

const lastOf = ({ path }: DbtNode): string => foldName(path.at(-1) ?? '');

/** True if a wildcard finds a table, or all that another wildcard finds. */
const isWithin = (table: string, wildcard: string): boolean =>
  wildcard.endsWith('*') && table.startsWith(wildcard.slice(0, -1));

import { listShort } from '@querygate/text';
import type { Dialect } from 'querygate/catalog';
import { ImportPlan } from './import-plan.ts';
import { type DbtNode, isRelation, type Manifest, readManifest, relationKinds } from './manifest.ts';
import { isPart, type NodeFile } from './node-files.ts';
import { TargetFolder } from './target-folder.ts';

/**
 * Writes the nodes of a dbt project as files of a queries folder: `querygate tables import dbt`. What cannot be one is named,
 * with the reason.
 *
 * @throws ProblemError if the manifest or the folder cannot be read
 */
export function importManifest(
  { queriesDir, engine }: { readonly queriesDir: string; readonly engine: Dialect },
  manifestFile: string,
  { force = false }: { readonly force?: boolean },
): void {
  const manifest = readManifest(manifestFile);
  const nodes = manifest.nodes.filter(isRelation);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const packages = new Set(nodes.map(({ packageName }) => packageName));
  const folder = new TargetFolder(queriesDir, force, (id) => {
    const node = byId.get(id);
    return node === undefined
      ? !packages.has(id.split('.')[1] ?? '')
      : node.kind === 'model' && node.compiled === undefined;
  });
  const plan = new ImportPlan(nodes, folder, engine);
  folder.write(plan.files);
  for (const note of [...plan.notes, ...otherNotes(plan, manifest)]) process.stderr.write(`  ${note}\n`);
  process.stderr.write(summaryOf(nodes, plan.files));
}

/** The nodes that are not imported, by reasons that many share. */
function otherNotes(plan: ImportPlan, { nodes, disabled, functions }: Manifest): readonly string[] {
  const others = Map.groupBy(
    nodes.filter((node) => !isRelation(node)),
    ({ kind }) => kind,
  );
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['as the last import has it (not compiled: dbt compile writes its SQL)', plan.stays],
    ['not imported (not compiled: dbt compile writes its SQL)', plan.notCompiled],
    ...[...others].map(
      ([kind, ofKind]) => [`not imported (${kind}: dbt runs it)`, ofKind.map(({ id }) => id)] as const,
    ),
    ['not imported (function: write it as a file of the folder functions)', functions],
    ['not imported (disabled)', disabled],
  ];
  return groups.flatMap(([text, ids]) => (ids.length === 0 ? [] : [`${text}: ${listShort(ids, 2000)}`]));
}

function summaryOf(nodes: readonly DbtNode[], files: readonly NodeFile[]): string {
  const counted = relationKinds.flatMap((kind) => {
    const { length } = nodes.filter((node) => node.kind === kind);
    return length === 0 ? [] : [`${length} ${kind}${length === 1 ? '' : 's'}`];
  });
  const parts = files.filter(isPart).length;
  return `Of ${counted.join(', ') || 'no model'}: ${files.length - parts} tables, ${parts} parts.\n`;
}

import { describeType } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import type { AnalyzedCatalog, SavedQuery } from 'querygate';
import { type Change, change, fromTo, matchBy, type Pair } from '../change.ts';

interface CommonTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Changes of the common tables that callers may read with SQL of their own. */
export function compareSandboxes(
  { before, after }: Pair,
  oldCatalog: AnalyzedCatalog,
  catalog: AnalyzedCatalog,
): readonly Change[] {
  if (before.querySandboxing !== 'enabled' || after.querySandboxing !== 'enabled') return [];
  if (before.sql === after.sql && oldCatalog.tables === catalog.tables) return [];
  const old = commonTables(before, oldCatalog);
  const now = commonTables(after, catalog);
  // Then only the SQL is compared, which `check` reports on.
  if (old === undefined || now === undefined) return [];
  const lowerName = ({ name }: { readonly name: string }) => foldName(name);
  const common = matchBy(old, now, lowerName);
  const add = (kind: 'sandbox-removed' | 'sandbox-added', text: string) =>
    change(kind, ['sql'], `common table ${text}`);
  return [
    ...common.removed.map(({ name }) => add('sandbox-removed', `${name} removed`)),
    ...common.added.map(({ name }) => add('sandbox-added', `${name} added`)),
    ...common.both.flatMap(([oldTable, table]) => {
      const { both, removed, added } = matchBy(oldTable.columns, table.columns, lowerName);
      return [
        ...removed.map(({ name }) => add('sandbox-removed', `${table.name}: column ${name} removed`)),
        ...added.map(({ name }) => add('sandbox-added', `${table.name}: column ${name} added`)),
        ...both.flatMap(([a, b]) =>
          a.type === b.type
            ? []
            : [add('sandbox-removed', `${table.name}: column ${b.name} ${fromTo(a.type, b.type)}`)],
        ),
      ];
    }),
  ];
}

function commonTables(
  query: SavedQuery,
  { analysisOf }: AnalyzedCatalog,
): readonly CommonTable[] | undefined {
  const sandbox = analysisOf(query).sandbox();
  return sandbox?.tables.map((name) => ({
    name,
    columns: sandbox
      .readAll(name)
      .columns.map((column) => ({ name: column.name, type: describeType(column.type) })),
  }));
}

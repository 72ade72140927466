import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes `manifest.json` of the tests from what dbt has compiled of `project`: without the macros, which are others' work, and
 * without paths of the machine. `dbt.test.ts` says how it is compiled.
 *
 *     node packages/authoring/test/dbt/make-manifest.ts project/target/manifest.json
 */
const [, , file = ''] = process.argv;
const { metadata, nodes, sources, disabled, functions } = JSON.parse(readFileSync(file, 'utf8'));
const { dbt_schema_version, dbt_version, project_name, adapter_type } = metadata;
// What dbt has written of a test is its own work.
for (const node of Object.values<Record<string, unknown>>(nodes))
  if (node.resource_type === 'test') delete node.compiled_code;
const manifest = {
  metadata: { dbt_schema_version, dbt_version, project_name, adapter_type },
  ...{ nodes, sources, disabled, functions },
};
const text = JSON.stringify(
  manifest,
  (key, value) => (['root_path', 'created_at'].includes(key) ? undefined : value),
  2,
);
writeFileSync(new URL('manifest.json', import.meta.url), `${text}\n`);

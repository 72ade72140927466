import { readConfig } from '../../config.ts';
import { loadTypedCatalog } from '../../analysis/complete-records.ts';
import { buildSchema } from '../../http/graphql/schema/schema.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { graphqlTypes } from './typescript/graphql-types.ts';
import { restTypes } from './typescript/rest-types.ts';

/** `querygate types` */
export function printTypes({ values, label }: LoadedSettings): void {
  const { queriesDir } = readConfig(values, label);
  const catalog = loadTypedCatalog(queriesDir);
  process.stdout.write(
    `// Written by querygate types from the saved queries; do not edit.\n\n${restTypes(catalog.queries)}\n${graphqlTypes(buildSchema(catalog))}`,
  );
}

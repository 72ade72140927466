import { printSchema } from 'graphql';
import { loadCatalog } from '../../catalog/load-catalog.ts';
import { readConfig } from '../../config.ts';
import { buildSchema } from '../../http/graphql/schema/schema.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** `querygate schema` */
export function printGraphqlSchema({ values, label }: LoadedSettings): void {
  const { queriesDir } = readConfig(values, label);
  process.stdout.write(`${printSchema(buildSchema(loadCatalog(queriesDir)))}\n`);
}

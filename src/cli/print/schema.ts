import { printSchema } from 'graphql';
import { readConfig } from '../../config.ts';
import { loadTypedCatalog } from '../../analysis/complete-records.ts';
import { buildSchema } from '../../http/graphql/schema/schema.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** `querygate schema` */
export function printGraphqlSchema({ values, label }: LoadedSettings): void {
  const { queriesDir } = readConfig(values, label);
  process.stdout.write(`${printSchema(buildSchema(loadTypedCatalog(queriesDir)))}\n`);
}

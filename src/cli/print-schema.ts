import { printSchema } from 'graphql';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import { StartError } from '../errors.ts';
import { buildSchema } from '../http/graphql/schema/schema.ts';

try {
  process.stdout.write(`${printSchema(buildSchema(loadCatalog(readConfig(process.env).queriesDir)))}\n`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}

import { loadCatalog } from '../../catalog/load-catalog.ts';
import { readConfig } from '../../config.ts';
import { openapiDocument } from '../../http/openapi/document.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** `querygate openapi` */
export function printOpenapi({ values, label }: LoadedSettings): void {
  const { queriesDir } = readConfig(values, label);
  const { queries } = loadCatalog(queriesDir);
  process.stdout.write(`${JSON.stringify(openapiDocument(queries), null, 2)}\n`);
}

import { readConfig } from '../../config.ts';
import { loadTypedCatalog } from '../../analysis/complete-records.ts';
import { openapiDocument } from '../../http/openapi/document.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** `querygate openapi` */
export function printOpenapi({ values, label }: LoadedSettings): void {
  const { queriesDir } = readConfig(values, label);
  const { queries } = loadTypedCatalog(queriesDir);
  process.stdout.write(`${JSON.stringify(openapiDocument(queries), null, 2)}\n`);
}

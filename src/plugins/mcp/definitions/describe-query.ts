import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { mayPassSql, type Principal } from '../../../keys/principal.ts';
import type { JsonObject } from '../../../catalog/binding/parameter-schema.ts';
import { details } from './detail.ts';
import { inputSchema } from './input-schema.ts';
import { rowSchemas } from './row-schemas.ts';
import { outputSchema } from './output-schema.ts';
import { limitsOf } from './tool.ts';

/**
 * All that a key may know of a saved query; its SQL only with the permission for that.
 *
 * @param sqlTool the name of the tool for SQL over it, if there is one
 */
export const describeQuery = (
  name: string,
  query: SavedQuery,
  principal: Principal,
  sqlTool?: string,
): JsonObject => ({
  name,
  description: query.description,
  limits: limitsOf(query),
  inputSchema: inputSchema(query, principal.tenants, details[0], rowSchemas(query, details[0])),
  outputSchema: outputSchema(query, details[0]),
  ...(sqlTool !== undefined && mayPassSql(principal) && { sqlTool }),
  ...(principal.permissions.has('catalog') && { sql: query.sql }),
});

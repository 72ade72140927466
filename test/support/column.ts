import type { Column } from '../../src/catalog/model/saved-query.ts';

/** A column that may be NULL. */
export const column = (name: string, type: Column['type'], repeated = false): Column => ({
  name,
  type,
  repeated,
  required: false,
  unit: undefined,
  description: '',
});

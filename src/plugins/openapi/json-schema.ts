import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';

/** A reference to what the document has under `components`. */
export const refTo = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
});

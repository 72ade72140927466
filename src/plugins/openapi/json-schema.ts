/** A part of an OpenAPI document, or a JSON Schema (2020-12). */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A reference to what the document has under `components`. */
export const refTo = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
});

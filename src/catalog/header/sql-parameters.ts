/** A named parameter as the SQL uses it; `index` is the offset of its `@`. */
export interface ParameterUse {
  readonly name: string;
  readonly index: number;
}

// Comments, strings and quoted names are matched first, so that an @ inside them is passed over.
const token =
  /--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|r?b?r?"""[\s\S]*?"""|r?b?r?'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|@@[\w.]+|@(?<name>[a-z_]\w*)/gi;

/** Every use of a named parameter `@name` in BigQuery SQL, in the order of the text. */
export function sqlParameters(sql: string): readonly ParameterUse[] {
  return [...sql.matchAll(token)].flatMap(({ groups, index }) =>
    groups?.name === undefined ? [] : [{ name: groups.name, index }],
  );
}

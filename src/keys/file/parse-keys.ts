import type { Problem } from '../../errors.ts';
import { readYaml } from '../../files/read-yaml.ts';
import { describeIssue, type SchemaProblem, schemaProblems } from '../../files/schema-problems.ts';
import { type KeyEntry, keyFileSchema } from './key-schema.ts';

export interface ParsedKeys {
  /** Empty if there are problems: a file is used as a whole or not at all. */
  readonly keys: readonly KeyEntry[];
  readonly problems: readonly Problem[];
  /** The line of the value at a path of the file. */
  lineOf(path: readonly PropertyKey[]): number;
}

/**
 * Parses a key file, in YAML or JSON.
 *
 * @param file the path that messages show
 */
export function parseKeys(file: string, text: string): ParsedKeys {
  const read = readText(text);
  if ('problems' in read) {
    return { keys: [], problems: read.problems.map((problem) => ({ file, ...problem })), lineOf: () => 1 };
  }
  const { data, lineOf } = read;
  if (data === null) return { keys: [], problems: [{ file, line: 1, message: emptyFile }], lineOf };
  const parsed = keyFileSchema.safeParse(data, { error: describeIssue });
  const problems = parsed.success ? duplicateIds(parsed.data.keys) : schemaProblems(parsed.error);
  return {
    keys: parsed.success && problems.length === 0 ? parsed.data.keys : [],
    problems: problems
      .map(({ path, message }) => ({ file, line: lineOf(path), message }))
      .sort((a, b) => a.line - b.line),
    lineOf,
  };
}

// The file may be in the middle of being written, which must not revoke all keys.
const emptyFile = 'is empty; write "keys: []" for a file without keys';

/** JSON is parsed as YAML only when a line number is needed: that takes a hundred times as long as JSON.parse. */
function readText(text: string): ReturnType<typeof readYaml> {
  try {
    const data: unknown = JSON.parse(text);
    let yaml: ReturnType<typeof readYaml> | undefined;
    return {
      data,
      lineOf: (path) => {
        yaml ??= readYaml(text);
        return 'lineOf' in yaml ? yaml.lineOf(path) : 1;
      },
    };
  } catch {
    return readYaml(text);
  }
}

function duplicateIds(keys: readonly KeyEntry[]): readonly SchemaProblem[] {
  const seen = new Set<string>();
  return keys.flatMap(({ id }, at) => {
    const isNew = seen.size < seen.add(id).size;
    return isNew
      ? []
      : [{ path: ['keys', at, 'id'], message: `keys.${at}.id: ${id} is also the id of another key` }];
  });
}

import type { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { readYaml, type YamlData } from '../../files/read-yaml.ts';
import { describeIssue, type SchemaProblem, schemaProblems } from '../../files/schema-problems.ts';
import { hasEqualNames, parseJson } from '@querygate/text';
import { type KeyEntry, keyFileSchema } from './key-schema.ts';

export interface ParsedKeys {
  /** Empty if there are problems: a file is used as a whole or not at all. */
  readonly keys: readonly KeyEntry[];
  readonly problems: readonly Problem[];
  /**
   * False if a longer file may have been cut to this one. JSON ends with its closing bracket, and block YAML with the
   * number of keys, as the commands write it.
   */
  readonly isWhole: boolean;
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
    const problems = read.problems.map((problem) => ({ file, ...problem }));
    return { keys: [], problems, isWhole: false, lineOf: () => 1 };
  }
  const { data, lineOf, endsWithBracket } = read;
  if (data === null) {
    return { keys: [], problems: [{ file, line: 1, message: emptyFile }], isWhole: false, lineOf };
  }
  const parsed = keyFileSchema.safeParse(data, { error: describeIssue });
  const problems = parsed.success
    ? [...duplicateIds(parsed.data.keys), ...wrongCount(parsed.data)]
    : schemaProblems(parsed.error);
  return {
    keys: parsed.success && problems.length === 0 ? parsed.data.keys : [],
    isWhole: endsWithBracket || Object.keys(data as object).at(-1) === 'count',
    problems: problems
      .map(({ path, message }) => ({ file, line: lineOf(path), message }))
      .sort((a, b) => a.line - b.line),
    lineOf,
  };
}

// The file may be in the middle of being written, which must not revoke all keys.
const emptyFile = 'is empty; write "keys: []" for a file without keys';

/** JSON is parsed as YAML only when a line number is needed: that takes a hundred times as long. */
function readText(text: string): YamlData | Extract<ReturnType<typeof readYaml>, { problems: unknown }> {
  try {
    const data = parseJson(text);
    // The last one would count, which may permit more than the first.
    if (hasEqualNames(text, data)) return readYaml(text, 'json');
    let yaml: ReturnType<typeof readYaml> | undefined;
    return {
      data,
      endsWithBracket: true,
      lineOf: (path) => {
        yaml ??= readYaml(text);
        return 'lineOf' in yaml ? yaml.lineOf(path) : 1;
      },
    };
  } catch {
    return readYaml(text);
  }
}

function wrongCount({ keys, count = keys.length }: z.output<typeof keyFileSchema>): readonly SchemaProblem[] {
  if (count === keys.length) return [];
  const message = `count: says ${count}, but the file has ${keys.length} keys; write count: ${keys.length} when none is missing`;
  return [{ path: ['count'], message }];
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

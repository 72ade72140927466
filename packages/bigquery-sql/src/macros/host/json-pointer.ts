import { hostFunction } from './host-function.ts';
import { type JsonTree, jsonTreeText, parseJsonTree } from './json-tree.ts';

/** One step of a path: a name in quotes, a bare name, or an index in brackets, where old paths also have names. */
const step = /\."([^"\\]*)"|\.([^.[\]"'*\\]+)|\[[ \t\n\f\r]*(?:0*(\d+)|(-[1-9]\d*))[ \t\n\f\r]*\]/y;
const oldStep =
  /\['([^'\\]*)'\]|\.([^.[\]"'*\\]+)|\[[ \t\n\f\r]*(?:0*(\d+)|(-[1-9]\d*))[ \t\n\f\r]*\]|\[([A-Za-z0-9_-]+)\]/y;

/** The matches of the steps of a path; undefined if it is not a path. */
function stepsOf(path: string, pattern: RegExp): readonly RegExpExecArray[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: RegExpExecArray[] = [];
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) return undefined;
    steps.push(match);
  }
  return steps;
}

/**
 * The JSON pointer of a path such as `$.a."b c"[0]`, as DuckDB takes it; undefined if it is not a path. As in BigQuery,
 * a number is an index in arrays and a name in objects.
 *
 * @param isOld whether it is a path of JSON_EXTRACT and the like, which have `['b c']` for `."b c"`
 */
export function jsonPointer(path: string, isOld: boolean): string | undefined {
  const names = stepsOf(path, isOld ? oldStep : step)?.map((match) => {
    const name = match.slice(1).find((group) => group !== undefined) ?? '';
    return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  });
  return names && (names.join('') || '$');
}

function pointerOrError(path: string, isOld: boolean): string {
  const pointer = jsonPointer(path, isOld);
  if (pointer === undefined) throw new Error(`Invalid JSONPath: ${path}`);
  return pointer;
}

/** True if a path of JSON_QUERY begins with a mode that lets it look into arrays. */
export const isLaxPath = (path: string): boolean => /^(?:lax|recursive)\s/i.test(path);

/**
 * The values that a lax path finds, as an array: names are looked up in the elements of arrays, and index 0 of any
 * other value is the value itself.
 */
function queryLax(json: string, path: string): string {
  const [, words = '', rest = ''] = /^((?:[a-z]+\s+)*)(.*)$/is.exec(path) ?? [];
  const modes = words.toLowerCase().split(/\s+/).slice(0, -1);
  const steps = stepsOf(rest, step);
  const areKnown = modes.every((mode, at) => /^(lax|recursive)$/.test(mode) && modes.indexOf(mode) === at);
  if (!steps || !areKnown || !modes.includes('lax') || steps.some((match) => match[4] !== undefined))
    throw new Error(`Invalid JSONPath: ${path}`);
  const depth = modes.includes('recursive') ? Number.POSITIVE_INFINITY : 1;
  const found = steps.reduce<readonly JsonTree[]>(
    (trees, [, quoted, bare, index]) => {
      if (index !== undefined) return trees.flatMap((tree) => elementAt(tree, Number(index)) ?? []);
      return trees.flatMap((tree) => membersOf(tree, quoted ?? bare ?? '', depth));
    },
    [parseJsonTree(json)],
  );
  return jsonTreeText({ kind: 'array', items: [...found] });
}

const elementAt = (tree: JsonTree, index: number): JsonTree | undefined =>
  tree.kind === 'array' ? tree.items[index] : index === 0 ? tree : undefined;

function membersOf(tree: JsonTree, name: string, depth: number): readonly JsonTree[] {
  if (tree.kind === 'array')
    return depth > 0 ? tree.items.flatMap((item) => membersOf(item, name, depth - 1)) : [];
  const member = tree.kind === 'object' ? tree.members.get(name) : undefined;
  return member === undefined ? [] : [member];
}

export const jsonPointerFunctions = [
  hostFunction('host_json_pointer', ['VARCHAR', 'BOOLEAN'], 'VARCHAR', pointerOrError),
  hostFunction('host_json_query_lax', ['VARCHAR', 'VARCHAR'], 'VARCHAR', queryLax),
];

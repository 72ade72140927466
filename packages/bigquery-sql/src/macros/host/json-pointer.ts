import { hostFunction } from './host-function.ts';

/** One step of a path: a name in quotes, a bare name, or an index in brackets, where old paths also have names. */
const step = /\."([^"\\*]*)"|\.([^.[\]"'*\\]+)|\[[ \t\n\f\r]*(?:0*(\d+)|(-[1-9]\d*))[ \t\n\f\r]*\]/y;
const oldStep =
  /\['([^'\\*]*)'\]|\.([^.[\]"'*\\]+)|\[[ \t\n\f\r]*(?:0*(\d+)|(-[1-9]\d*))[ \t\n\f\r]*\]|\[([A-Za-z0-9_-]+)\]/y;

/**
 * The JSON pointer of a path such as `$.a."b c"[0]`, as DuckDB takes it; undefined if it is not a path. As in BigQuery,
 * a number is an index in arrays and a name in objects.
 *
 * @param isOld whether it is a path of JSON_EXTRACT and the like, which have `['b c']` for `."b c"`
 */
export function jsonPointer(path: string, isOld: boolean): string | undefined {
  if (!path.startsWith('$')) return undefined;
  const pattern = isOld ? oldStep : step;
  let pointer = '';
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) return undefined;
    const name = match.slice(1).find((group) => group !== undefined) ?? '';
    pointer += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer || '$';
}

function pointerOrError(path: string, isOld: boolean): string {
  const pointer = jsonPointer(path, isOld);
  if (pointer === undefined) throw new Error(`Invalid JSONPath: ${path}`);
  return pointer;
}

export const jsonPointerFunctions = [
  hostFunction('host_json_pointer', ['VARCHAR', 'BOOLEAN'], 'VARCHAR', pointerOrError),
];

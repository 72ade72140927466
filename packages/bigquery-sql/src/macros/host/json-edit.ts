import { hostFunction } from './host-function.ts';
import {
  childOf,
  isJsonNull,
  type JsonStep,
  type JsonTree,
  jsonNull,
  jsonTreeText,
  parseJsonPath,
  parseJsonTree,
  replaceAt,
  withChild,
} from './json-tree.ts';

/** The most elements that a path may add to an array: BigQuery's limit. */
const maxArrayLength = 1_000_000;

const set = (json: string, path: string, value: string, create: boolean, applies: boolean): string =>
  !applies
    ? json
    : jsonTreeText(setAt(parseJsonTree(json), limited(path, 'JSON_SET'), parseJsonTree(value), create));

function setAt(tree: JsonTree, steps: readonly JsonStep[], value: JsonTree, create: boolean): JsonTree {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const child = childOf(tree, step);
  if (child !== undefined) return withChild(tree, step, setAt(child, rest, value, create));
  if (!create) return tree;
  const empty = emptyFor(step);
  // Only null becomes another container.
  const parent = isJsonNull(tree) ? empty : tree;
  return parent.kind === empty.kind ? withChild(parent, step, setAt(jsonNull, rest, value, true)) : tree;
}

const emptyFor = (step: JsonStep): JsonTree =>
  typeof step === 'number' ? { kind: 'array', items: [] } : { kind: 'object', members: new Map() };

function limited(path: string, name: string): readonly JsonStep[] {
  const steps = parseJsonPath(path, name);
  if (steps.some((step) => typeof step === 'number' && step > maxArrayLength))
    throw new Error(`${name}: an array index is over ${maxArrayLength}`);
  return steps;
}

function remove(json: string, path: string, applies: boolean): string {
  if (!applies) return json;
  const steps = parseJsonPath(path, 'JSON_REMOVE');
  const last = steps.at(-1);
  if (last === undefined) throw new Error("Invalid input to JSON_REMOVE: The JSONPath cannot be '$'");
  const edited = replaceAt(parseJsonTree(json), steps.slice(0, -1), (parent) => {
    if (parent.kind === 'object')
      return { kind: 'object', members: new Map([...parent.members].filter(([name]) => name !== last)) };
    if (parent.kind === 'array') return { kind: 'array', items: parent.items.filter((_, at) => at !== last) };
    return parent;
  });
  return jsonTreeText(edited);
}

/** The values to add: those of an SQL array one by one, or one value. */
const added = (value: string, each: boolean): readonly JsonTree[] => {
  const tree = parseJsonTree(value);
  return each && tree.kind === 'array' ? tree.items : [tree];
};

function append(json: string, path: string, value: string, each: boolean, applies: boolean): string {
  if (!applies) return json;
  const edited = replaceAt(parseJsonTree(json), parseJsonPath(path, 'JSON_ARRAY_APPEND'), (old) => {
    if (old.kind !== 'array' && !isJsonNull(old)) return old;
    return { kind: 'array', items: [...(old.kind === 'array' ? old.items : []), ...added(value, each)] };
  });
  return jsonTreeText(edited);
}

function insert(json: string, path: string, value: string, each: boolean, applies: boolean): string {
  if (!applies) return json;
  const steps = limited(path, 'JSON_ARRAY_INSERT');
  const index = steps.at(-1);
  const edited = replaceAt(parseJsonTree(json), steps.slice(0, -1), (old) => {
    if (typeof index !== 'number' || (old.kind !== 'array' && !isJsonNull(old))) return old;
    const items = old.kind === 'array' ? old.items : [];
    const gap = Array.from({ length: Math.max(0, index - items.length) }, () => jsonNull);
    return {
      kind: 'array',
      items: [...items.slice(0, index), ...gap, ...added(value, each), ...items.slice(index)],
    };
  });
  return jsonTreeText(edited);
}

interface StripOptions {
  readonly includeArrays: boolean;
  readonly removeEmpty: boolean;
}

function strip(
  json: string,
  path: string,
  includeArrays: boolean,
  removeEmpty: boolean,
  applies: boolean,
): string {
  if (!applies) return json;
  const options = { includeArrays, removeEmpty };
  const edited = replaceAt(parseJsonTree(json), parseJsonPath(path, 'JSON_STRIP_NULLS'), (old) =>
    stripped(old, options),
  );
  return jsonTreeText(edited);
}

/** Without nulls, and without containers that are empty then if those are removed, too. */
function stripped(tree: JsonTree, options: StripOptions): JsonTree {
  const isKept = (child: JsonTree) => !isJsonNull(child);
  if (tree.kind === 'object') {
    const members = [...tree.members].map(([name, child]) => [name, stripped(child, options)] as const);
    const kept = new Map(members.filter(([, child]) => isKept(child)));
    return options.removeEmpty && kept.size === 0 ? jsonNull : { kind: 'object', members: kept };
  }
  if (tree.kind === 'array' && options.includeArrays) {
    const kept = tree.items.map((item) => stripped(item, options)).filter(isKept);
    return options.removeEmpty && kept.length === 0 ? jsonNull : { kind: 'array', items: kept };
  }
  if (tree.kind === 'array') {
    // Nulls and empty values inside an array stay, but not those inside its objects.
    const items = tree.items.map((item) => {
      const inner = stripped(item, options);
      return isJsonNull(inner) ? item : inner;
    });
    return { kind: 'array', items };
  }
  return tree;
}

/** The functions that change a JSON value, if the change applies. Names and numbers of the rest stay as they are. */
export const jsonEditFunctions = [
  hostFunction('host_json_set', ['VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN', 'BOOLEAN'], 'VARCHAR', set),
  hostFunction('host_json_remove', ['VARCHAR', 'VARCHAR', 'BOOLEAN'], 'VARCHAR', remove),
  hostFunction(
    'host_json_append',
    ['VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN', 'BOOLEAN'],
    'VARCHAR',
    append,
  ),
  hostFunction(
    'host_json_insert',
    ['VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN', 'BOOLEAN'],
    'VARCHAR',
    insert,
  ),
  hostFunction('host_json_strip', ['VARCHAR', 'VARCHAR', 'BOOLEAN', 'BOOLEAN', 'BOOLEAN'], 'VARCHAR', strip),
];

import { hostFunction } from './host-function.ts';
import {
  indentJson,
  jsonLevels,
  type JsonTree,
  jsonTreeText,
  parseJsonTree,
  sortJsonNames,
} from './json-tree.ts';

const modes = ['strict', 'lax', 'lax recursive'];

/** JSON_KEYS as a JSON array of texts: distinct paths of objects' members in alphabetical order. */
function keys(json: string, maxDepth: bigint, mode: string): string {
  const arrays = modes.indexOf(mode.toLowerCase());
  if (arrays < 0) throw new Error(`Invalid input to JSON_KEYS: mode must be one of ${modes.join(', ')}`);
  if (maxDepth <= 0n) throw new Error('Invalid input to JSON_KEYS: max_depth must be positive');
  const found = new Set<string>();
  const walk = (tree: JsonTree, path: string, depth: bigint, nested: number) => {
    if (tree.kind === 'array' && (arrays === 2 || (arrays === 1 && nested === 0))) {
      for (const item of tree.items) walk(item, path, depth, nested + 1);
    }
    if (tree.kind !== 'object' || depth >= maxDepth) return;
    for (const [name, child] of tree.members) {
      const key = path === '' ? quoted(name) : `${path}.${quoted(name)}`;
      found.add(key);
      walk(child, key, depth + 1n, 0);
    }
  };
  walk(parseJsonTree(json), '', 0n, 0);
  return JSON.stringify([...found].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/** Names with special characters are quoted, so that paths are unambiguous. */
function quoted(name: string): string {
  const text = jsonTreeText({ kind: 'scalar', text: JSON.stringify(name) });
  return name.includes('.') || text !== `"${name}"` ? text : name;
}

/** The functions that read JSON as a whole. */
export const jsonKeysFunctions = [
  hostFunction('host_json_keys', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', keys),
  hostFunction('host_json_sorted', ['VARCHAR'], 'VARCHAR', sortJsonNames),
  hostFunction('host_json_levels', ['VARCHAR'], 'BIGINT', jsonLevels),
  hostFunction('host_json_indented', ['VARCHAR', 'BIGINT'], 'VARCHAR', indentJson),
];

import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, YAMLSeq } from 'yaml';
import { parseJson } from '@querygate/text';
import type { KeyInput } from './key-schema.ts';

/**
 * Edits the text of a key file; comments and formatting in YAML are preserved. YAML gets the number of keys as its last
 * line, by which a file that was cut is recognized.
 */
export interface KeyEdits {
  /** @param after the id of the key to insert the entry after; undefined: at the end */
  add(entry: KeyInput, after?: string): void;
  set(id: string, fields: Partial<Pick<KeyInput, 'expires' | 'revoked'>>): void;
  /** The text with all changes. */
  text(): string;
}

/**
 * @param text of a valid key file, or '' for a new one
 * @param asJson the format of a new file
 */
export function editKeys(text: string, asJson: boolean): KeyEdits {
  if (text.trim() === '') return asJson ? jsonEdits({ keys: [] }) : yamlEdits(parseDocument('keys: []\n'));
  try {
    return jsonEdits(parseJson(text.replace(/^\uFEFF/, '')) as { keys: KeyInput[]; count?: number });
  } catch {
    return yamlEdits(parseDocument(text));
  }
}

function jsonEdits({ keys, count }: { keys: KeyInput[]; count?: number }): KeyEdits {
  const at = (id: string) => keys.findIndex((key) => key.id === id);
  return {
    add: (entry, after) => void keys.splice(after === undefined ? keys.length : at(after) + 1, 0, entry),
    set(id, fields) {
      keys = keys.map((key) => (key.id === id ? { ...key, ...fields } : key));
    },
    text() {
      const file = count === undefined ? { keys } : { keys, count: keys.length };
      return `${JSON.stringify(file, null, 2)}\n`;
    },
  };
}

function yamlEdits(document: Document): KeyEdits {
  const found = document.get('keys');
  const list = isSeq(found) ? found : new YAMLSeq();
  // An empty list is in flow style, [], and added entries would be too.
  list.flow = false;
  document.set('keys', list);
  const at = (id: string) => list.items.findIndex((item) => isMap(item) && item.get('id') === id);
  return {
    add(entry, after) {
      const node = document.createNode(entry) as YAMLMap;
      for (const { value } of node.items) if (isSeq(value) || isMap(value)) value.flow = true;
      list.items.splice(after === undefined ? list.items.length : at(after) + 1, 0, node);
    },
    set(id, fields) {
      const node = list.items[at(id)];
      for (const [name, value] of Object.entries(fields)) if (isMap(node)) node.set(name, value);
    },
    text() {
      if (!isLast(document, 'count')) document.delete('count');
      document.set('count', list.items.length);
      return document.toString({ lineWidth: 0 });
    },
  };
}

function isLast({ contents }: Document, key: string): boolean {
  if (!isMap(contents)) return false;
  const last: unknown = contents.items.at(-1)?.key;
  return isScalar(last) && last.value === key;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyInput } from '../../src/keys/file/key-schema.ts';
import { digestOf, makeKey } from '../../src/keys/key-text.ts';

export interface KeyFile {
  readonly path: string;
  /** The text of the key with this name. */
  keyOf(name: string): string;
  /** The id of the key with this name. */
  idOf(name: string): string;
  remove(): void;
}

/** A key file of a test's own, with one key for each name. */
export function writeKeyFile(
  keys: Readonly<Record<string, Partial<Omit<KeyInput, 'id' | 'sha256' | 'name'>>>>,
): KeyFile {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const path = join(folder, 'keys.json');
  const made = new Map(Object.keys(keys).map((name) => [name, makeKey()]));
  const of = (name: string) => {
    const key = made.get(name);
    if (key === undefined) throw new Error(`no key has the name ${name}`);
    return key;
  };
  const entries = Object.entries(keys).map(([name, facts]) => ({
    id: of(name).id,
    name,
    sha256: digestOf(of(name).text).toString('hex'),
    ...facts,
  }));
  writeFileSync(path, JSON.stringify({ keys: entries }));
  return {
    path,
    keyOf: (name) => of(name).text,
    idOf: (name) => of(name).id,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

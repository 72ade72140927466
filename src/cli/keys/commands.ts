import { StartError } from '../../errors.ts';
import { formatInstant } from '../../files/durations.ts';
import { editKeys, type KeyEdits } from '../../keys/file/edit-keys.ts';
import type { KeyEntry, KeyInput } from '../../keys/file/key-schema.ts';
import { requireKeys } from '../../keys/file/load-keys.ts';
import { parseKeys } from '../../keys/file/parse-keys.ts';
import { updateFile } from '../../keys/file/update-file.ts';
import { digestOf, makeKey, type NewKey } from '../../keys/key-text.ts';
import { commandError } from '../../author/arguments.ts';

/** A key's name, permissions and limits, as in the file. */
type KeyFields = Omit<KeyInput, 'id' | 'sha256' | 'revoked'>;

/** Adds a key. @returns the key with its text, which is not stored anywhere */
export function createKey(file: string, fields: KeyFields): Promise<NewKey> {
  return edit(file, (keys, edits) => addKey(keys, edits, fields));
}

/** Revokes a key from now on. @returns the key as it was */
export function revokeKey(file: string, id: string, now: Date): Promise<KeyEntry> {
  return edit(file, (keys, edits) => {
    const key = requireKey(keys, id);
    if (key.revoked === undefined) edits.set(id, { revoked: formatInstant(now) });
    return key;
  });
}

interface RollOptions {
  readonly now: Date;
  /** How long the old key remains valid. */
  readonly overlapMs: number;
  /** When the new key expires; undefined: as the old one. */
  readonly expires: Date | undefined;
}

/** Replaces a key: adds one with the same permissions and limits, and makes the old one expire. */
export function rollKey(
  file: string,
  id: string,
  { now, overlapMs, expires }: RollOptions,
): Promise<NewKey & { readonly oldEnds: Date }> {
  return edit(file, (keys, edits) => {
    const old = requireKey(keys, id);
    if (old.revoked !== undefined || (old.expires !== undefined && old.expires <= now)) {
      throw commandError(`${id} is no longer valid; make a new key with create`);
    }
    const oldExpires = old.expires;
    const newEnds = expires ?? oldExpires;
    const key = addKey(
      keys,
      edits,
      { ...fieldsOf(old), ...(newEnds && { expires: formatInstant(newEnds) }) },
      id,
    );

    const overlapEnds = new Date(now.getTime() + overlapMs);
    if (oldExpires !== undefined && oldExpires < overlapEnds) return { ...key, oldEnds: oldExpires };
    edits.set(id, { expires: formatInstant(overlapEnds) });
    return { ...key, oldEnds: overlapEnds };
  });
}

/** Applies a change to the key file. @returns what `change` returns */
function edit<T>(file: string, change: (keys: readonly KeyEntry[], edits: KeyEdits) => T): Promise<T> {
  return updateFile(file, (text) => {
    const edits = editKeys(text, file.endsWith('.json'));
    const result = change(text.trim() === '' ? [] : requireKeys(file, text).keys, edits);
    const newText = edits.text();
    // The file was valid before, so these are problems of the command's options.
    const { problems } = parseKeys(file, newText);
    if (problems.length === 0) return { text: newText, result };
    const messages = problems.map(({ message }) => ({ message: atOption(message) }));
    throw new StartError('The command has problems', messages);
  });
}

/** A problem of a field of the file, at the option from which the field is. */
const atOption = (message: string): string =>
  message
    .replace(/^keys\.\d+\./, '')
    .replace(/^(name|tenant|endpoint|permission|allow)s?(?:\.\d+)?(?=: )/, '--$1')
    .replace(/^rate\.(\w+)(?=: )/, (_, name: string) => `--${name.replaceAll('_', '-')}`);

function addKey(keys: readonly KeyEntry[], edits: KeyEdits, fields: KeyFields, after?: string): NewKey {
  const key = makeKey((id) => keys.some((other) => other.id === id));
  const { name, ...rest } = fields;
  const nonEmpty = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  const sha256 = digestOf(key.text).toString('hex');
  edits.add({ id: key.id, name, sha256, ...Object.fromEntries(nonEmpty) }, after);
  return key;
}

/** The fields that a key and its replacement have in common: all but its identity and its end. */
function fieldsOf({ id, sha256, expires, revoked, stated, name, rate, ...others }: KeyEntry): KeyFields {
  return { name, ...withoutUndefined(others), ...(rate && { rate: withoutUndefined(rate) }) };
}

function withoutUndefined<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function requireKey(keys: readonly KeyEntry[], id: string): KeyEntry {
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw commandError(`no key has the id ${JSON.stringify(id)}; list shows all ids`);
}

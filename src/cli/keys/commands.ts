import { StartError } from '../../errors.ts';
import { formatInstant } from '../../files/durations.ts';
import { editKeys, type KeyEdits } from '../../keys/file/edit-keys.ts';
import type { KeyEntry, KeyInput } from '../../keys/file/key-schema.ts';
import { requireKeys } from '../../keys/file/load-keys.ts';
import { parseKeys } from '../../keys/file/parse-keys.ts';
import { updateFile } from '../../keys/file/update-file.ts';
import { digestOf, makeKey, type NewKey } from '../../keys/key-text.ts';
import { wrongCommand } from './arguments.ts';

/** What a new key may do, as the file has it. */
export type KeyFacts = Omit<KeyInput, 'id' | 'sha256' | 'revoked'>;

/** Adds a key. @returns it, with the text that nobody can tell again */
export async function createKey(file: string, facts: KeyFacts): Promise<NewKey> {
  let made: NewKey | undefined;
  await edit(file, (keys, edits) => {
    made = addNew(keys, edits, facts);
  });
  return given(made);
}

/** Takes a key back at once. @returns the key as it was */
export async function revokeKey(file: string, id: string, now: Date): Promise<KeyEntry> {
  let found: KeyEntry | undefined;
  await edit(file, (keys, edits) => {
    found = keyOf(keys, id);
    if (found.revoked === undefined) edits.set(id, { revoked: formatInstant(now) });
  });
  return given(found);
}

/** Makes a key that may do the same, and lets the old one end. @returns the new one, and when the old one ends */
export async function rollKey(
  file: string,
  id: string,
  {
    now,
    overlapMs,
    expires,
  }: { readonly now: Date; readonly overlapMs: number; readonly expires: Date | undefined },
): Promise<NewKey & { readonly oldEnds: Date }> {
  let made: NewKey | undefined;
  let oldEnds = new Date(now.getTime() + overlapMs);
  await edit(file, (keys, edits) => {
    const old = keyOf(keys, id);
    if (old.revoked !== undefined || (old.expires !== undefined && old.expires <= now)) {
      throw wrongCommand(`${id} is no valid key any more; make a new one with create`);
    }
    const { sha256: _, id: __, revoked: ___, expires: oldExpires, ...facts } = old;
    const ends = expires ?? oldExpires;
    made = addNew(keys, edits, { ...facts, ...(ends && { expires: formatInstant(ends) }) }, id);
    if (oldExpires !== undefined && oldExpires < oldEnds) oldEnds = oldExpires;
    else edits.set(id, { expires: formatInstant(oldEnds) });
  });
  return { ...given(made), oldEnds };
}

async function edit(
  file: string,
  change: (keys: readonly KeyEntry[], edits: KeyEdits) => void,
): Promise<void> {
  await updateFile(file, (text) => {
    const edits = editKeys(text, file.endsWith('.json'));
    change(text.trim() === '' ? [] : requireKeys(file, text), edits);
    const after = edits.text();
    // The file was right before: what is wrong now was given to the command.
    const { problems } = parseKeys(file, after);
    if (problems.length === 0) return after;
    const told = problems.map(({ message }) => ({ message: message.replace(/^keys\.\d+\./, '') }));
    throw new StartError('The command has problems', told);
  });
}

function addNew(keys: readonly KeyEntry[], edits: KeyEdits, facts: KeyFacts, after?: string): NewKey {
  const made = makeKey((id) => keys.some((key) => key.id === id));
  const { name, ...rest } = facts;
  const told = Object.entries(rest).filter(([, value]) => !isNothing(value));
  const sha256 = digestOf(made.text).toString('hex');
  edits.add({ id: made.id, name, sha256, ...Object.fromEntries(told) }, after);
  return made;
}

function isNothing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function keyOf(keys: readonly KeyEntry[], id: string): KeyEntry {
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw wrongCommand(`no key has the id ${JSON.stringify(id)}; list tells them`);
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing was changed');
  return value;
}

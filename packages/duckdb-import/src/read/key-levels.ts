import type { Field } from '@querygate/bigquery-sql/table-schema';

const backslash = 92;
const caseBit = 32;
const [firstLetter, lastLetter] = [97, 122];
const firstBeyondAscii = 128;

/** A declared field, as its key is looked up. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
  /** Of the objects in its value; undefined for a field that is not a record. */
  readonly level: Level | undefined;
}

/** The fields of the objects at one place of a row. */
export class Level {
  readonly #byLength: Entry[][] = [];
  readonly #byLowerCase = new Map<string, Entry>();
  #isAscii = true;

  constructor(fields: readonly Field[]) {
    for (const { name, fields: inner } of fields) {
      const entry = { name, bytes: Buffer.from(name), level: inner && new Level(inner) };
      const { length } = entry.bytes;
      this.#byLength[length] = [...(this.#byLength[length] ?? []), entry];
      this.#byLowerCase.set(name.toLowerCase(), entry);
      this.#isAscii &&= entry.bytes.every((byte) => byte < firstBeyondAscii);
    }
  }

  /** The field of a key, up to the case of ASCII letters. */
  find(lines: Buffer, from: number, to: number): Entry | undefined {
    const entries = this.#byLength[to - from];
    if (entries === undefined) return undefined;
    for (const entry of entries) if (isEqual(lines, from, entry.bytes)) return entry;
    return undefined;
  }

  /** The field of a key that has escapes, or letters in another case that are not ASCII. */
  findDecoded(lines: Buffer, from: number, to: number): Entry | undefined {
    let isPlain = true;
    for (let at = from; at < to; at += 1) {
      const byte = lines[at] ?? 0;
      isPlain &&= byte !== backslash && (this.#isAscii || byte < firstBeyondAscii);
    }
    if (isPlain) return undefined;
    try {
      const key: unknown = JSON.parse(lines.toString('utf8', from - 1, to + 1));
      return this.#byLowerCase.get(String(key).toLowerCase());
    } catch {
      return undefined;
    }
  }
}

function isEqual(lines: Buffer, from: number, name: Buffer): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const byte = name[at] ?? 0;
    const difference = (lines[from + at] ?? 0) ^ byte;
    if (difference === 0) continue;
    const lower = byte | caseBit;
    if (difference !== caseBit || lower < firstLetter || lower > lastLetter) return false;
  }
  return true;
}

import type { Field } from '@querygate/bigquery-sql/table-schema';
import { type Entry, Level } from './key-levels.ts';
import { oddLines } from './odd-lines.ts';

const tab = 9;
const newline = 10;
const space = 32;
const quoteMark = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** A key that is replaced by one of another length. */
interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: Buffer;
}

/**
 * A function that makes whole lines of JSON ones that DuckDB reads as they are meant: the keys of declared fields have the declared
 * letter case, because it matches keys exactly, and a comma before a closing bracket, which it accepts, is one that it does
 * not. All else keeps its text. The function may change the bytes that it gets.
 */
export function buildNormalizer(fields: readonly Field[]): (lines: Buffer) => Buffer {
  const root = new Level(fields);
  const odd = oddLines(fields);
  return (lines) => (odd.test(lines.toString('latin1')) ? normalizeLines(lines, root) : lines);
}

/** Most changes keep the length, and are made in place. */
function normalizeLines(lines: Buffer, root: Level): Buffer {
  const outer: (Level | undefined)[] = [];
  const replacements: Replacement[] = [];
  // The level of the innermost object or array, and of the value that comes next.
  let level: Level | undefined;
  let next: Level | undefined = root;
  for (let at = 0; at < lines.length; at += 1) {
    switch (lines[at]) {
      case quoteMark: {
        const from = at + 1;
        at = stringEnd(lines, from);
        if (level === undefined || lines[afterSpaces(lines, at + 1)] !== colon) break;
        const entry = level.find(lines, from, at);
        if (entry !== undefined) writeName(lines, from, entry.bytes);
        next = (entry ?? replaceDecoded(lines, from, at, level, replacements))?.level;
        break;
      }
      case openBrace:
      case openBracket:
        outer.push(level);
        level = next;
        break;
      case closeBrace:
      case closeBracket:
        next = level = outer.pop();
        break;
      case comma: {
        const following = lines[afterSpaces(lines, at + 1)];
        if (following === closeBrace || following === closeBracket) lines[at] = colon;
        break;
      }
      default:
    }
    if (lines[at] === newline) {
      outer.length = 0;
      level = undefined;
      next = root;
    }
  }
  return replacements.length === 0 ? lines : replaceAll(lines, replacements);
}

/** The place of the quote that ends a string; of the end of its line, if none does. */
function stringEnd(lines: Buffer, from: number): number {
  let at = from;
  for (; at < lines.length; at += 1) {
    const byte = lines[at];
    if (byte === quoteMark || byte === newline) return at;
    if (byte === backslash && lines[at + 1] !== newline) at += 1;
  }
  return at;
}

function afterSpaces(lines: Buffer, from: number): number {
  let at = from;
  while (lines[at] === space || lines[at] === tab) at += 1;
  return at;
}

/** Byte by byte: names are short, and nearly always there already. */
function writeName(lines: Buffer, from: number, name: Buffer): void {
  for (let at = 0; at < name.length; at += 1) lines[from + at] = name[at] ?? 0;
}

function replaceDecoded(
  lines: Buffer,
  from: number,
  to: number,
  level: Level,
  replacements: Replacement[],
): Entry | undefined {
  const entry = level.findDecoded(lines, from, to);
  if (entry) replacements.push({ from, to, text: Buffer.from(JSON.stringify(entry.name).slice(1, -1)) });
  return entry;
}

function replaceAll(lines: Buffer, replacements: readonly Replacement[]): Buffer {
  let end = 0;
  const parts = replacements.flatMap(({ from, to, text }) => {
    const before = lines.subarray(end, from);
    end = to;
    return [before, text];
  });
  return Buffer.concat([...parts, lines.subarray(end)]);
}

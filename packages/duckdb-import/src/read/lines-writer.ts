import { closeSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type FileEnds, fingerprintBytes } from '../scan/fingerprint.ts';
import type { Reject } from '../store/manifest.ts';
import { isObjectText } from './json-lines.ts';
import { isBlank, lineTooLong, maxLineBytes } from './read-text.ts';

const newline = 10;
/** Up to this many bytes are written synchronously. */
const syncWriteBytes = 1 << 16;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const blankLine = Buffer.from('\n');

/** A position in a file of lines, at the beginning of a line. */
export interface Position {
  /** Bytes before it. */
  readonly offset: number;
  /** Newlines before it. */
  readonly lines: number;
  readonly ends: FileEnds;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Copies lines into a scratch file, up to the limits of a batch, and counts them. */
export class LinesWriter {
  /** The lines that are too long, or `null`; the scratch file has blank ones in their places. */
  readonly rejects: Reject[] = [];
  readonly #file: number;
  readonly #normalize: (lines: Buffer) => Buffer;
  #isClosed = false;
  #position: Position;
  #rows = 0;
  #bytes = 0;
  #open: OpenLine;

  /** @param normalize gets whole lines, which it may change, and returns those to write */
  constructor(path: string, from: Position, normalize: (lines: Buffer) => Buffer) {
    this.#normalize = normalize;
    this.#file = openSync(path, 'w');
    this.#position = from;
    this.#open = { parts: [], bytes: 0, ends: from.ends };
  }

  /**
   * Takes bytes as far as the limits allow, to the end of a line.
   *
   * @returns how many
   */
  async write(chunk: Buffer, limits: BatchLimits): Promise<number> {
    const isFirst = this.#position.offset === 0 && this.#open.bytes === 0;
    const text: Buffer[] = [];
    let { lines } = this.#position;
    let rows = 0;
    let start = 0;
    let written = isFirst && chunk.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark.length : 0;
    const first = written;
    const isFull = () => rows >= limits.rows || start >= limits.bytes;
    for (let at = chunk.indexOf(newline); at >= 0 && !isFull(); at = chunk.indexOf(newline, start)) {
      const { parts, bytes } = start === 0 ? this.#open : noLine;
      const line = chunk.subarray(Math.max(start, first), at);
      const reason = problemOf(line, parts, bytes + at - start);
      lines += 1;
      if (reason !== undefined) {
        text.push(chunk.subarray(written, start), blankLine);
        written = at + 1;
        this.rejects.push({ line: lines, reason });
      } else {
        for (const part of parts) text.push(part);
        if (isRow(line) || !parts.every(isBlank)) rows += 1;
      }
      start = at + 1;
    }
    if (start > 0) {
      await this.#append([...text, chunk.subarray(written, start)]);
      this.#rows += rows;
      this.#read(chunk.subarray(0, start));
      this.#endLine(lines);
    }
    if (isFull()) return start;
    this.#read(chunk.subarray(start));
    // Of a line that is too long, nothing is kept.
    if (this.#open.bytes > maxLineBytes) this.#open.parts = [];
    else if (start < chunk.length) this.#open.parts.push(Buffer.from(chunk.subarray(Math.max(start, first))));
    return chunk.length;
  }

  /**
   * Ends a last line that has no newline.
   *
   * @param mustBeComplete whether to leave out the line unless it is a complete JSON object
   */
  async end(mustBeComplete: boolean): Promise<void> {
    const { bytes, parts } = this.#open;
    if (bytes === 0) return;
    const line = Buffer.concat(parts);
    if (mustBeComplete && (bytes > maxLineBytes || !isObjectText(line.toString()))) return;
    const { lines } = this.#position;
    const reason = problemOf(line, [], bytes);
    if (reason !== undefined) this.rejects.push({ line: lines + 1, reason });
    else await this.#append([line]);
    if (reason === undefined && !isBlank(line)) this.#rows += 1;
    this.#endLine(lines);
  }

  /** True if no line has begun that has no newline yet. */
  isAtLineEnd(): boolean {
    return this.#open.bytes === 0;
  }

  /** Lines that are not blank. */
  rows(): number {
    return this.#rows;
  }

  bytes(): number {
    return this.#bytes;
  }

  /** In the source, after the last complete line that was written. */
  position(): Position {
    return this.#position;
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  async #append(text: readonly Buffer[]): Promise<void> {
    const lines = this.#normalize(Buffer.concat(text));
    this.#bytes += await writeAll(this.#file, lines, this.#bytes);
  }

  #read(bytes: Buffer): void {
    this.#open.bytes += bytes.length;
    const { checksum, head, tail } = this.#open.ends;
    const left = fingerprintBytes - head.length;
    this.#open.ends = {
      head: left > 0 ? Buffer.concat([head, bytes.subarray(0, left)]) : head,
      tail: Buffer.concat([tail, bytes.subarray(-fingerprintBytes)]).subarray(-fingerprintBytes),
      checksum: checksum === undefined ? undefined : crc32(bytes, checksum),
    };
  }

  /** @param lines newlines before the next line */
  #endLine(lines: number): void {
    const { bytes, ends } = this.#open;
    this.#position = { offset: this.#position.offset + bytes, lines, ends };
    this.#open = { parts: [], bytes: 0, ends };
  }
}

/** A line that has no newline yet. */
interface OpenLine {
  /** Its bytes; none of one that is too long. */
  parts: Buffer[];
  /** How many they are, also if it is too long. */
  bytes: number;
  /** At the end of it so far. */
  ends: FileEnds;
}

const noLine = { parts: [], bytes: 0 };

/** A line of `null` has hardly more, as a carriage return. */
const maxNullBytes = 16;

/** Why a line is not a row. DuckDB would read `null` as a row without values. */
function problemOf(line: Buffer, parts: readonly Buffer[], bytes: number): string | undefined {
  if (bytes > maxLineBytes) return lineTooLong;
  if (bytes > maxNullBytes) return undefined;
  const text = Buffer.concat([...parts, line])
    .toString()
    .trim();
  return text === 'null' ? 'must be an object, not null' : undefined;
}

/** Nearly all lines begin with a brace. */
const isRow = (line: Buffer) => (line[0] ?? 0) > 32 || !isBlank(line);

/** Few bytes are written synchronously: with thousands of small files the event loop would take most of the time. */
async function writeAll(file: number, bytes: Buffer, position: number): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    const left = bytes.length - at;
    if (left <= syncWriteBytes) at += writeSync(file, bytes, at, left, position + at);
    else at += (await writeAsync(file, bytes, at, left, position + at)).bytesWritten;
  }
  return bytes.length;
}

const writeAsync = promisify(write);

import { closeSync, ftruncateSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type FileEnds, fingerprintBytes } from '../scan/fingerprint.ts';
import type { Reject } from '../store/manifest.ts';
import { isObjectText } from './json-lines.ts';
import { isBlank, lineTooLong, maxLineBytes } from './read-text.ts';

const newline = 10;
const carriageReturn = 13;
/** Up to this many bytes are written synchronously. */
const syncWriteBytes = 1 << 16;
const sampleBytes = 1 << 20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

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
  /** The lines that are too long; the scratch file has blank ones in their places. */
  readonly rejects: Reject[] = [];
  readonly #file: number;
  #isClosed = false;
  #sample = Buffer.alloc(0);
  #position: Position;
  #rows = 0;
  #bytes = 0;
  readonly #open: OpenLine;

  constructor(path: string, from: Position) {
    this.#file = openSync(path, 'w');
    this.#position = from;
    this.#open = { parts: [], bytes: 0, ends: from.ends, start: 0 };
  }

  /**
   * Writes bytes as far as the limits allow, to the end of a line.
   *
   * @returns how many
   */
  async write(chunk: Buffer, limits: BatchLimits): Promise<number> {
    const open = this.#open;
    const lineEnd = chunk.indexOf(newline);
    const lineBytes = open.bytes + (lineEnd < 0 ? chunk.length : lineEnd);
    if (lineBytes > maxLineBytes) {
      const part = lineEnd < 0 ? chunk : chunk.subarray(0, lineEnd + 1);
      await this.#skip(part, lineEnd >= 0);
      return part.length;
    }
    const scanned = scanLines(chunk, open.parts, limits);
    const accepted = chunk.subarray(0, scanned.end);
    const isFirst = this.#position.offset === 0 && open.bytes === 0;
    const hasByteOrderMark = isFirst && accepted.subarray(0, 3).equals(byteOrderMark);
    const text = hasByteOrderMark ? accepted.subarray(3) : accepted;
    if (this.#sample.length < sampleBytes) {
      this.#sample = Buffer.concat([this.#sample, text.subarray(0, sampleBytes - this.#sample.length)]);
    }
    this.#bytes += await writeAll(this.#file, text, this.#bytes);
    this.#rejectNulls(text);
    this.#countLines(scanned.lines);
    this.#rows += scanned.rows;
    const rest = accepted.subarray(scanned.lastLineEnd);
    if (scanned.lines > 0) {
      this.#advance(accepted.subarray(0, scanned.lastLineEnd));
      this.#endLine();
      open.start -= rest.length;
    }
    this.#advance(rest);
    if (rest.length > 0) open.parts.push(Buffer.from(rest));
    return accepted.length;
  }

  /**
   * Ends a last line that has no newline.
   *
   * @param mustBeComplete whether to remove the line unless it is a complete JSON object
   */
  end(mustBeComplete: boolean): void {
    const { bytes, parts } = this.#open;
    if (bytes === 0) return;
    const isTooLong = bytes > maxLineBytes;
    const line = Buffer.concat(parts);
    if (mustBeComplete && (isTooLong || !isObjectText(line.toString()))) {
      this.#removeOpenLine();
      return;
    }
    const isNull = isNullText(line);
    if (isNull) this.#removeOpenLine();
    this.#endLine();
    if (isTooLong || isNull)
      this.rejects.push({ line: this.#position.lines + 1, reason: isTooLong ? lineTooLong : nullReason });
    else if (!isBlank(line)) this.#rows += 1;
  }

  /** True if the last byte written is a newline. */
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

  /** The beginning of the scratch file, a megabyte at most. */
  sample(): Buffer {
    return this.#sample;
  }

  /** In the source, after the last complete line that was written. */
  position(): Position {
    return this.#position;
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  #advance(bytes: Buffer): void {
    const open = this.#open;
    open.bytes += bytes.length;
    open.ends = { head: headOf(open.ends.head, bytes), tail: tailOf(open.ends.tail, bytes) };
  }

  #countLines(count: number): void {
    this.#position = { ...this.#position, lines: this.#position.lines + count };
  }

  #endLine(): void {
    const open = this.#open;
    const { offset, lines } = this.#position;
    this.#position = { offset: offset + open.bytes, lines, ends: open.ends };
    open.start = this.#bytes;
    open.parts = [];
    open.bytes = 0;
  }

  #removeOpenLine(): void {
    const open = this.#open;
    if (open.parts.length > 0) ftruncateSync(this.#file, open.start);
    this.#bytes = open.start;
    open.parts = [];
  }

  /**
   * Blanks the lines of `null`, which DuckDB would read as rows without values.
   *
   * @param text the last bytes that were written
   */
  #rejectNulls(text: Buffer): void {
    const open = this.#open;
    const isShort = open.bytes <= maxNullBytes;
    const bytes = isShort ? Buffer.concat([...open.parts, text]) : text;
    for (const at of nullLines(bytes, isShort)) {
      writeSync(this.#file, '    ', this.#bytes - bytes.length + at);
      const line = this.#position.lines + countLines(bytes.subarray(0, at)) + 1;
      this.rejects.push({ line, reason: nullReason });
      this.#rows -= 1;
    }
  }

  /** @param part of a line that is too long, up to its newline if that is there */
  async #skip(part: Buffer, isEnded: boolean): Promise<void> {
    this.#removeOpenLine();
    this.#advance(part);
    if (!isEnded) return;
    this.#countLines(1);
    this.rejects.push({ line: this.#position.lines, reason: lineTooLong });
    // The lines that follow keep their numbers.
    this.#bytes += await writeAll(this.#file, blankLine, this.#bytes);
    this.#endLine();
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
  /** Where it begins in the scratch file. */
  start: number;
}

const blankLine = Buffer.from('\n');

const nullReason = 'must be an object, not null';

/** A line of `null` has hardly more, as a carriage return. */
const maxNullBytes = 16;

const isNullText = (line: Buffer) =>
  line.length <= maxNullBytes &&
  line
    .toString()
    .replace(/^\uFEFF/, '')
    .trim() === 'null';

/** Where complete lines of `null` begin. @param isLineStart whether a line begins with the bytes */
function* nullLines(bytes: Buffer, isLineStart: boolean): Generator<number> {
  const next = (from: number) => bytes.indexOf('\nnull', from) + 1;
  let at = isLineStart && bytes.subarray(0, 4).toString() === 'null' ? 0 : next(0) || undefined;
  while (at !== undefined) {
    const end = bytes.indexOf(newline, at);
    if (end >= 0 && isNullText(bytes.subarray(at, end))) yield at;
    at = next(at) || undefined;
  }
}

const countLines = (bytes: Buffer) => bytes.reduce((count, byte) => count + (byte === newline ? 1 : 0), 0);

interface ScanResult {
  /** Where to stop: after the last line within the limits, or at the end of the chunk. */
  readonly end: number;
  readonly lines: number;
  readonly rows: number;
  /** After the last newline; 0 without a newline. */
  readonly lastLineEnd: number;
}

function scanLines(chunk: Buffer, openLine: readonly Buffer[], limits: BatchLimits): ScanResult {
  let lines = 0;
  let rows = 0;
  let start = 0;
  let isBlankSoFar = openLine.every(isBlank);
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
    const isShort = at - start <= 1 && (at === start || chunk[start] === carriageReturn);
    lines += 1;
    if (!(isShort && isBlankSoFar)) rows += 1;
    isBlankSoFar = true;
    start = at + 1;
    if (rows >= limits.rows || start >= limits.bytes) return { end: start, lines, rows, lastLineEnd: start };
  }
  return { end: chunk.length, lines, rows, lastLineEnd: start };
}

function headOf(head: Buffer, more: Buffer): Buffer {
  if (head.length >= fingerprintBytes) return head;
  return Buffer.concat([head, more.subarray(0, fingerprintBytes - head.length)]);
}

function tailOf(tail: Buffer, more: Buffer): Buffer {
  const last = more.subarray(-fingerprintBytes);
  return Buffer.concat([tail, last]).subarray(-fingerprintBytes);
}

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

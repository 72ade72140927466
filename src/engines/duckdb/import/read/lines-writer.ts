import { closeSync, ftruncateSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type FileEnds, fingerprintBytes } from '../scan/fingerprint.ts';
import type { Reject } from '../scan/manifest.ts';
import { isObjectText } from './json-lines.ts';
import { lineTooLong, maxLineBytes } from './read-file.ts';

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

/** Copies lines into a scratch file, up to the limits of a batch, and counts them. */
export interface LinesWriter {
  /**
   * Writes bytes as far as the limits allow, to the end of a line.
   *
   * @returns how many
   */
  write(chunk: Buffer, limits: BatchLimits): Promise<number>;
  /**
   * Ends a last line that has no newline.
   *
   * @param mustBeComplete whether to remove the line unless it is a complete JSON object
   */
  end(mustBeComplete: boolean): void;
  /** Whether the last byte written is a newline. */
  isAtLineEnd(): boolean;
  /** Lines that are not blank. */
  rows(): number;
  bytes(): number;
  /** The lines that are too long; the scratch file has blank ones in their places. */
  readonly rejects: readonly Reject[];
  /** The beginning of the scratch file, a megabyte at most. */
  sample(): Buffer;
  /** In the source, after the last complete line that was written. */
  position(): Position;
  close(): void;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

export function openLinesWriter(path: string, from: Position): LinesWriter {
  const file = openSync(path, 'w');
  let isClosed = false;
  let sample = Buffer.alloc(0);
  let { offset, lines, ends } = from;
  let rows = 0;
  let written = 0;
  /** The bytes of a line that has no newline yet; none of one that is too long. */
  let openLine: Buffer[] = [];
  /** Of that line, also if it is too long. */
  let openBytes = 0;
  /** At the end of that line so far. */
  let openEnds = ends;
  /** Where the line begins in the scratch file. */
  let lineStart = 0;
  const rejects: Reject[] = [];

  const advance = (bytes: Buffer) => {
    openBytes += bytes.length;
    openEnds = { head: headOf(openEnds.head, bytes), tail: tailOf(openEnds.tail, bytes) };
  };
  const endLine = () => {
    offset += openBytes;
    ends = openEnds;
    lineStart = written;
    openLine = [];
    openBytes = 0;
  };
  const removeOpenLine = () => {
    if (openLine.length > 0) ftruncateSync(file, lineStart);
    written = lineStart;
    openLine = [];
  };
  /**
   * Blanks the lines of `null`, which DuckDB would read as rows without values.
   *
   * @param text the last bytes that were written
   */
  const rejectNulls = (text: Buffer) => {
    const isShort = openBytes <= maxNullBytes;
    const bytes = isShort ? Buffer.concat([...openLine, text]) : text;
    for (const at of nullLines(bytes, isShort)) {
      writeSync(file, '    ', written - bytes.length + at);
      rejects.push({ line: lines + countLines(bytes.subarray(0, at)) + 1, reason: nullReason });
      rows -= 1;
    }
  };
  /** @param part of a line that is too long, up to its newline if that is there */
  const skip = async (part: Buffer, isEnded: boolean) => {
    removeOpenLine();
    advance(part);
    if (!isEnded) return;
    lines += 1;
    rejects.push({ line: lines, reason: lineTooLong });
    // The lines that follow keep their numbers.
    written += await writeAll(file, blankLine, written);
    endLine();
  };

  return {
    async write(chunk, limits) {
      const lineEnd = chunk.indexOf(newline);
      const lineBytes = openBytes + (lineEnd < 0 ? chunk.length : lineEnd);
      if (lineBytes > maxLineBytes) {
        const part = lineEnd < 0 ? chunk : chunk.subarray(0, lineEnd + 1);
        await skip(part, lineEnd >= 0);
        return part.length;
      }
      const scanned = scanLines(chunk, openLine, limits);
      const accepted = chunk.subarray(0, scanned.end);
      const hasByteOrderMark =
        offset === 0 && openBytes === 0 && accepted.subarray(0, 3).equals(byteOrderMark);
      const text = hasByteOrderMark ? accepted.subarray(3) : accepted;
      if (sample.length < sampleBytes) {
        sample = Buffer.concat([sample, text.subarray(0, sampleBytes - sample.length)]);
      }
      written += await writeAll(file, text, written);
      rejectNulls(text);
      lines += scanned.lines;
      rows += scanned.rows;
      const rest = accepted.subarray(scanned.lastLineEnd);
      if (scanned.lines > 0) {
        advance(accepted.subarray(0, scanned.lastLineEnd));
        endLine();
        lineStart -= rest.length;
      }
      advance(rest);
      if (rest.length > 0) openLine.push(Buffer.from(rest));
      return accepted.length;
    },
    end(mustBeComplete) {
      if (openBytes === 0) return;
      const isTooLong = openBytes > maxLineBytes;
      const line = Buffer.concat(openLine);
      if (mustBeComplete && (isTooLong || !isObjectText(line.toString()))) return removeOpenLine();
      const isNull = isNullText(line);
      if (isNull) removeOpenLine();
      endLine();
      if (isTooLong || isNull)
        rejects.push({ line: lines + 1, reason: isTooLong ? lineTooLong : nullReason });
      else if (!isBlank(line)) rows += 1;
    },
    isAtLineEnd: () => openBytes === 0,
    rows: () => rows,
    bytes: () => written,
    rejects,
    position: () => ({ offset, lines, ends }),
    sample: () => sample,
    close() {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
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

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= 32);

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

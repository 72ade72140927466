import { closeSync, ftruncateSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type FileEnds, fingerprintBytes } from '../scan/fingerprint.ts';

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
  /** The bytes of a line that has no newline yet. */
  let openLine: Buffer[] = [];

  const advance = (bytes: Buffer) => {
    offset += bytes.length;
    ends = { head: headOf(ends.head, bytes), tail: tailOf(ends.tail, bytes) };
  };
  const advancePastOpenLine = () => {
    for (const part of openLine.splice(0)) advance(part);
  };

  return {
    async write(chunk, limits) {
      const scanned = scanLines(chunk, openLine, limits);
      const accepted = chunk.subarray(0, scanned.end);
      const hasByteOrderMark =
        offset === 0 && openLine.length === 0 && accepted.subarray(0, 3).equals(byteOrderMark);
      const text = hasByteOrderMark ? accepted.subarray(3) : accepted;
      if (sample.length < sampleBytes) {
        sample = Buffer.concat([sample, text.subarray(0, sampleBytes - sample.length)]);
      }
      written += await writeAll(file, text);
      lines += scanned.lines;
      rows += scanned.rows;
      if (scanned.lines > 0) {
        advancePastOpenLine();
        advance(accepted.subarray(0, scanned.lastLineEnd));
      }
      const rest = accepted.subarray(scanned.lastLineEnd);
      if (rest.length > 0) openLine.push(Buffer.from(rest));
      return accepted.length;
    },
    end(mustBeComplete) {
      const line = Buffer.concat(openLine);
      if (line.length === 0) return;
      if (mustBeComplete && !isObject(line)) {
        openLine = [];
        written = Math.max(0, written - line.length);
        ftruncateSync(file, written);
        return;
      }
      advancePastOpenLine();
      if (!isBlank(line)) rows += 1;
    },
    isAtLineEnd: () => openLine.length === 0,
    rows: () => rows,
    bytes: () => written,
    position: () => ({ offset, lines, ends }),
    sample: () => sample,
    close() {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}

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

/** A line that another process is still writing is not JSON before its last byte is there. */
function isObject(line: Buffer): boolean {
  const text = line
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
async function writeAll(file: number, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    const left = bytes.length - at;
    if (left <= syncWriteBytes) at += writeSync(file, bytes, at, left);
    else at += (await writeAsync(file, bytes, at, left)).bytesWritten;
  }
  return bytes.length;
}

const writeAsync = promisify(write);

import { closeSync, ftruncateSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type FileEnds, fingerprintBytes } from '../scan/fingerprint.ts';

const newline = 10;
const fewBytes = 1 << 16;
const sampleBytes = 1 << 20;
const carriageReturn = 13;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** How far into a file of lines one has come. */
export interface Position {
  /** Bytes. */
  readonly offset: number;
  /** Newlines. */
  readonly lines: number;
  readonly ends: FileEnds;
}

/** Copies lines into a scratch file until there are enough of them, and knows where it is. */
export interface LinesWriter {
  /** Takes bytes as far as there is room, to the end of a line; gives how many. */
  write(chunk: Buffer, room: BatchLimits): Promise<number>;
  /** Deals with a last line that has no newline: it is taken, or left out where it must be a whole object and is none. */
  end(mustBeWhole: boolean): void;
  /** Whether what was taken ends with a newline. */
  isAtLineEnd(): boolean;
  /** Lines that are not blank. */
  rows(): number;
  bytes(): number;
  /** The beginning of what was written, a megabyte at most. */
  sample(): Buffer;
  /** After the last line that was taken. */
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
  /** Of a line that has no newline yet. */
  let openLine: Buffer[] = [];

  const settle = (bytes: Buffer) => {
    offset += bytes.length;
    ends = { head: headOf(ends.head, bytes), tail: tailOf(ends.tail, bytes) };
  };
  const settleOpenLine = () => {
    for (const part of openLine.splice(0)) settle(part);
  };

  return {
    async write(chunk, room) {
      const scanned = scanLines(chunk, openLine, room);
      const taken = chunk.subarray(0, scanned.end);
      const isMarked = offset === 0 && openLine.length === 0 && taken.subarray(0, 3).equals(byteOrderMark);
      const text = isMarked ? taken.subarray(3) : taken;
      if (sample.length < sampleBytes) {
        sample = Buffer.concat([sample, text.subarray(0, sampleBytes - sample.length)]);
      }
      written += await writeAll(file, text);
      lines += scanned.lines;
      rows += scanned.rows;
      if (scanned.lines > 0) {
        settleOpenLine();
        settle(taken.subarray(0, scanned.lastLineEnd));
      }
      const rest = taken.subarray(scanned.lastLineEnd);
      if (rest.length > 0) openLine.push(Buffer.from(rest));
      return taken.length;
    },
    end(mustBeWhole) {
      const line = Buffer.concat(openLine);
      if (line.length === 0) return;
      if (mustBeWhole && !isObject(line)) {
        openLine = [];
        written = Math.max(0, written - line.length);
        ftruncateSync(file, written);
        return;
      }
      settleOpenLine();
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
  /** Where to stop: after the line for which there was room last, or at the end of the piece. */
  readonly end: number;
  readonly lines: number;
  readonly rows: number;
  /** After the last newline; 0 where there is none. */
  readonly lastLineEnd: number;
}

function scanLines(chunk: Buffer, openLine: readonly Buffer[], room: BatchLimits): ScanResult {
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
    if (rows >= room.rows || start >= room.bytes) return { end: start, lines, rows, lastLineEnd: start };
  }
  return { end: chunk.length, lines, rows, lastLineEnd: start };
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte <= 32);

/** A line that is being written is no JSON before its last byte is there. */
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

/** A little is written at once: of thousands of small files the turns of the event loop would be most of the time. */
async function writeAll(file: number, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    const left = bytes.length - at;
    if (left <= fewBytes) at += writeSync(file, bytes, at, left);
    else at += (await writeAsync(file, bytes, at, left)).bytesWritten;
  }
  return bytes.length;
}

const writeAsync = promisify(write);

import { farmFingerprint } from '../farm-fingerprint.ts';
import { hostFunction } from '../host-function.ts';

/**
 * Sketches of HLL_COUNT, which only this engine reads: few distinct values as their sorted hashes of 8 bytes, which
 * count exactly; more as 2^15 registers of HyperLogLog, whose error is about 0.6 %. The first byte says which.
 */
const [hashes, registers] = [1, 2];
const maxHashes = 4096;
const precision = 15;
const registerCount = 1 << precision;

const mask64 = (1n << 64n) - 1n;

/** FarmHash spreads short texts too little for the leading zeros: the finalizer of MurmurHash mixes its bits. */
function hashOf(text: string): bigint {
  const mix = (n: bigint, factor: bigint) => ((n ^ (n >> 33n)) * factor) & mask64;
  const hash = BigInt.asUintN(64, farmFingerprint(Buffer.from(text)));
  const mixed = mix(mix(hash, 0xff51afd7ed558ccdn), 0xc4ceb9fe1a85ec53n);
  return mixed ^ (mixed >> 33n);
}

interface Sketch {
  readonly set: Set<bigint> | undefined;
  readonly registers: Uint8Array | undefined;
}

function encode({ set, registers: dense }: Sketch): Uint8Array {
  if (set === undefined) return Buffer.concat([Buffer.from([registers]), dense ?? new Uint8Array()]);
  const bytes = Buffer.alloc(1 + set.size * 8);
  bytes[0] = hashes;
  const sorted = [...set].sort((a, b) => (a < b ? -1 : 1));
  for (const [at, hash] of sorted.entries()) bytes.writeBigUInt64BE(hash, 1 + at * 8);
  return bytes;
}

function decode(bytes: Uint8Array): Sketch {
  const buffer = Buffer.from(bytes);
  if (buffer[0] === registers && buffer.length === registerCount + 1)
    return { set: undefined, registers: buffer.subarray(1) };
  if (buffer[0] !== hashes || buffer.length % 8 !== 1)
    throw new Error(
      'Invalid or incompatible sketch in HLL_COUNT: it must come from HLL_COUNT.INIT in the same query',
    );
  const count = (buffer.length - 1) / 8;
  return {
    set: new Set(Array.from({ length: count }, (_, at) => buffer.readBigUInt64BE(1 + at * 8))),
    registers: undefined,
  };
}

/** Adds a hash: the first bits choose the register, which keeps the most leading zeros of the others. */
function addTo(dense: Uint8Array, hash: bigint): void {
  const [high, low] = [Number(hash >> 32n), Number(hash & 0xffff_ffffn)];
  const at = high >>> (32 - precision);
  // The bits of the register's number are shifted out, so that their zeros do not count.
  const ofHigh = Math.clz32(high << precision);
  const zeros = 1 + (ofHigh < 32 ? ofHigh : 32 - precision + Math.clz32(low));
  if (zeros > (dense[at] ?? 0)) dense[at] = zeros;
}

function merged(sketches: readonly Sketch[]): Sketch {
  const set = new Set<bigint>();
  for (const sketch of sketches) for (const hash of sketch.set ?? []) set.add(hash);
  if (set.size <= maxHashes && sketches.every((sketch) => sketch.set !== undefined))
    return { set, registers: undefined };
  const dense = new Uint8Array(registerCount);
  for (const hash of set) addTo(dense, hash);
  for (const sketch of sketches) {
    for (const [at, zeros] of sketch.registers?.entries() ?? []) dense[at] = Math.max(dense[at] ?? 0, zeros);
  }
  return { set: undefined, registers: dense };
}

function estimate({ set, registers: dense = new Uint8Array() }: Sketch): bigint {
  return set === undefined ? BigInt(Math.round(cardinality(dense))) : BigInt(set.size);
}

/** Otmar Ertl's improved estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017). */
function cardinality(dense: Uint8Array): number {
  const most = 64 - precision + 1;
  const counts = new Array<number>(most + 1).fill(0);
  for (const zeros of dense) counts[zeros] = (counts[zeros] ?? 0) + 1;
  const share = (zeros: number) => (counts[zeros] ?? 0) / registerCount;
  let z = registerCount * tau(1 - share(most));
  for (let zeros = most - 1; zeros >= 1; zeros -= 1) z = (z + (counts[zeros] ?? 0)) / 2;
  z += registerCount * sigma(share(0));
  return registerCount ** 2 / (2 * Math.LN2 * z);
}

function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z, before] = [share, 1, share, Number.NaN];
  while (z !== before) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, z, before] = [share, 1, 1 - share, Number.NaN];
  while (z !== before) {
    x = Math.sqrt(x);
    before = z;
    y /= 2;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}

const init = (texts: readonly (string | null)[]): Uint8Array => {
  const set = new Set(texts.flatMap((text) => (text === null ? [] : [hashOf(text)])));
  return encode(merged([{ set, registers: undefined }]));
};

/** @param sketches in hexadecimal */
const mergeAll = (sketches: readonly (string | null)[]): Sketch =>
  merged(sketches.flatMap((hex) => (hex === null ? [] : [decode(Buffer.from(hex, 'hex'))])));

export const hllFunctions = [
  hostFunction('host_hll_init', ['VARCHAR[]'], 'BLOB', init),
  hostFunction('host_hll_merge', ['VARCHAR[]'], 'BLOB', (sketches) => encode(mergeAll(sketches))),
  hostFunction('host_hll_extract', ['BLOB'], 'BIGINT', (sketch) => estimate(decode(sketch))),
];

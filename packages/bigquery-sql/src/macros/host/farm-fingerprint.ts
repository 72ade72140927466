// FarmHash's Fingerprint64, as published by Google; all arithmetic is modulo 2^64.
const [k0, k1, k2] = [0xc3a5c85c97cb3127n, 0xb492b66fbe98f273n, 0x9ae16a3b2f90404fn];
const mask = 0xffffffffffffffffn;

const wrap = (n: bigint) => n & mask;
const rotate = (n: bigint, by: bigint) => wrap((n >> by) | (n << (64n - by)));
const mixed = (n: bigint) => n ^ (n >> 47n);

function combine(u: bigint, v: bigint, factor: bigint): bigint {
  const a = mixed(wrap((u ^ v) * factor));
  return wrap(mixed(wrap((v ^ a) * factor)) * factor);
}

/** The 64-bit fingerprint of bytes, as a signed integer. */
export function farmFingerprint(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hash = bytes.length <= 64 ? ofShort(view) : ofLong(view);
  return BigInt.asIntN(64, hash);
}

function ofShort(view: DataView): bigint {
  const { byteLength: length } = view;
  if (length > 32) return of33To64(view);
  if (length > 16) return of17To32(view);
  const word = (at: number) => view.getBigUint64(at, true);
  const factor = wrap(k2 + BigInt(length) * 2n);
  if (length >= 8) {
    const a = wrap(word(0) + k2);
    const b = word(length - 8);
    const c = wrap(rotate(b, 37n) * factor + a);
    const d = wrap((rotate(a, 25n) + b) * factor);
    return combine(c, d, factor);
  }
  if (length >= 4) {
    const a = BigInt(view.getUint32(0, true));
    return combine(BigInt(length) + (a << 3n), BigInt(view.getUint32(length - 4, true)), factor);
  }
  if (length === 0) return k2;
  const [first, middle, last] = [0, length >> 1, length - 1].map((at) => BigInt(view.getUint8(at)));
  const y = (first ?? 0n) + ((middle ?? 0n) << 8n);
  const z = BigInt(length) + ((last ?? 0n) << 2n);
  return wrap(mixed(wrap(y * k2) ^ wrap(z * k0)) * k2);
}

function of17To32(view: DataView): bigint {
  const { byteLength: length } = view;
  const word = (at: number) => view.getBigUint64(at, true);
  const factor = wrap(k2 + BigInt(length) * 2n);
  const a = wrap(word(0) * k1);
  const b = word(8);
  const c = wrap(word(length - 8) * factor);
  const d = wrap(word(length - 16) * k2);
  return combine(
    wrap(rotate(wrap(a + b), 43n) + rotate(c, 30n) + d),
    wrap(a + rotate(wrap(b + k2), 18n) + c),
    factor,
  );
}

function of33To64(view: DataView): bigint {
  const { byteLength: length } = view;
  const word = (at: number) => view.getBigUint64(at, true);
  const factor = wrap(k2 + BigInt(length) * 2n);
  const a = wrap(word(0) * k2);
  const b = word(8);
  const c = wrap(word(length - 8) * factor);
  const d = wrap(word(length - 16) * k2);
  const y = wrap(rotate(wrap(a + b), 43n) + rotate(c, 30n) + d);
  const z = combine(y, wrap(a + rotate(wrap(b + k2), 18n) + c), factor);
  const e = wrap(word(16) * factor);
  const f = word(24);
  const g = wrap((y + word(length - 32)) * factor);
  const h = wrap((z + word(length - 24)) * factor);
  return combine(
    wrap(rotate(wrap(e + f), 43n) + rotate(g, 30n) + h),
    wrap(e + rotate(wrap(f + a), 18n) + g),
    factor,
  );
}

type Pair = readonly [bigint, bigint];

function ofLong(view: DataView): bigint {
  const word = (at: number) => view.getBigUint64(at, true);
  const ofBlock = (at: number, a: bigint, b: bigint): Pair => {
    const [w, x, y, z] = [word(at), word(at + 8), word(at + 16), word(at + 24)];
    const first = wrap(a + w);
    const sum = wrap(first + x + y);
    const second = wrap(rotate(wrap(b + first + z), 21n) + rotate(sum, 44n));
    return [wrap(sum + z), wrap(second + first)];
  };
  const seed = 81n;
  const last = view.byteLength - 1;
  const end = Math.floor(last / 64) * 64;
  let y = wrap(seed * k1 + 113n);
  let z = wrap(mixed(wrap(y * k2 + 113n)) * k2);
  let x = wrap(seed * k2 + word(0));
  let v: Pair = [0n, 0n];
  let w: Pair = [0n, 0n];
  const round = (at: number, factor: bigint, scale: bigint) => {
    x = wrap(rotate(wrap(x + y + v[0] + word(at + 8)), 37n) * factor) ^ wrap(w[1] * scale);
    y = wrap(rotate(wrap(y + v[1] + word(at + 48)), 42n) * factor + v[0] * scale + word(at + 40));
    z = wrap(rotate(wrap(z + w[0]), 33n) * factor);
    v = ofBlock(at, wrap(v[1] * factor), wrap(x + w[0]));
    w = ofBlock(at + 32, wrap(z + w[1]), wrap(y + word(at + 16)));
    [z, x] = [x, z];
  };
  for (let at = 0; at < end; at += 64) round(at, k1, 1n);
  const factor = wrap(k1 + ((z & 0xffn) << 1n));
  w = [wrap(w[0] + BigInt(last & 63)), w[1]];
  v = [wrap(v[0] + w[0]), v[1]];
  w = [wrap(w[0] + v[0]), w[1]];
  round(end + (last & 63) - 63, factor, 9n);
  return combine(
    wrap(combine(v[0], w[0], factor) + mixed(y) * k0 + z),
    wrap(combine(v[1], w[1], factor) + x),
    factor,
  );
}

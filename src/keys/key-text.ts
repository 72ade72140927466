import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A key as its holder has it. Only its digest is kept; the text is told once. */
export interface NewKey {
  readonly id: string;
  readonly text: string;
}

const idLength = 8;
/** 190 random bits. */
const secretLength = 32;

/**
 * What every key of ours looks like: `qg_<id>_<secret>_<checksum>`, for scanners of secrets and for our own logs. The
 * README tells it too.
 */
export const keyShape = /qg_[0-9a-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/;

const wholeKey = /^(?<body>qg_(?<id>[0-9a-z]{8})_[^_]+)_(?<checksum>[^_]+)$/;

/** Makes a key nobody has seen, whose id none of the taken ones is. */
export function makeKey(isTaken: (id: string) => boolean = () => false): NewKey {
  const id = randomText(idLength, 36);
  if (isTaken(id)) return makeKey(isTaken);
  const body = `qg_${id}_${randomText(secretLength, 62)}`;
  return { id, text: `${body}_${checksum(body)}` };
}

/** The id of a key whose checksum is right; undefined for every other text, typing errors included. */
export function idOfKey(text: string): string | undefined {
  const groups = keyShape.test(text) ? wholeKey.exec(text)?.groups : undefined;
  if (groups?.body === undefined || checksum(groups.body) !== groups.checksum) return undefined;
  return groups.id;
}

/** SHA-256 of a key's whole text. One round is enough: nobody tries out 190 random bits. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomText(length: number, base: number): string {
  return Array.from({ length }, () => digits.charAt(randomInt(base))).join('');
}

/** CRC-32 in base 62, of which six digits hold every value. */
function checksum(body: string): string {
  let left = crc32(body);
  let text = '';
  for (let at = 0; at < 6; at += 1) {
    text = digits.charAt(left % 62) + text;
    left = Math.floor(left / 62);
  }
  return text;
}

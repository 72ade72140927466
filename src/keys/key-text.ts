import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A new key. Only its digest is stored; the text is shown once. */
export interface NewKey {
  readonly id: string;
  readonly text: string;
}

const idLength = 8;
/** 190 random bits. */
const secretLength = 32;

/**
 * The format of all generated keys, `qg_<id>_<secret>_<checksum>`: for secret scanners and for redacting logs. The
 * README documents it.
 */
export const keyShape = /qg_[0-9a-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/;

const keyParts = /^(?<body>qg_(?<id>[0-9a-z]{8})_[^_]+)_(?<checksum>[^_]+)$/;

/** Makes a random key with an unused id. */
export function makeKey(isTaken: (id: string) => boolean = () => false): NewKey {
  const id = randomText(idLength, 36);
  if (isTaken(id)) return makeKey(isTaken);
  const body = `qg_${id}_${randomText(secretLength, 62)}`;
  return { id, text: `${body}_${checksum(body)}` };
}

/** The id of a key; undefined for any text without a valid checksum, so also for typing errors. */
export function idOfKey(text: string): string | undefined {
  const groups = keyShape.test(text) ? keyParts.exec(text)?.groups : undefined;
  if (groups?.body === undefined || checksum(groups.body) !== groups.checksum) return undefined;
  return groups.id;
}

/** SHA-256 of a key's whole text. One round is enough: 190 random bits cannot be guessed by brute force. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomText(length: number, base: number): string {
  return Array.from({ length }, () => digits.charAt(randomInt(base))).join('');
}

/** CRC-32 in base 62; six digits are enough for every value. */
function checksum(body: string): string {
  let left = crc32(body);
  let text = '';
  for (let at = 0; at < 6; at += 1) {
    text = digits.charAt(left % 62) + text;
    left = Math.floor(left / 62);
  }
  return text;
}

import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A key as its owner receives it. Only its digest is stored; the text is shown once. */
export interface NewKey {
  /** Names it in the log and in the key file: 8 characters, not secret. */
  readonly id: string;
  /** The text that its owner sends: `qg_<id>_<secret>_<checksum>`. */
  readonly text: string;
}

const idLength = 8;
/** 190 random bits. */
const secretLength = 32;

/**
 * The shape of every key: `qg_<id>_<secret>_<checksum>`, for secret scanners and for redacting our own logs. The
 * documentation gives it too.
 */
export const keyShape = /qg_[0-9a-z]{8}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/;

const keyParts = /^(?<body>qg_(?<id>[0-9a-z]{8})_[^_]+)_(?<checksum>[^_]+)$/;

/** Generates a key whose id is not taken. */
export function makeKey(isTaken: (id: string) => boolean = () => false): NewKey {
  const id = randomText(idLength, 36);
  if (isTaken(id)) return makeKey(isTaken);
  const body = `qg_${id}_${randomText(secretLength, 62)}`;
  return { id, text: `${body}_${checksum(body)}` };
}

/** The id of a key with a correct checksum; undefined for every other text, such as a mistyped key. */
export function idOfKey(text: string): string | undefined {
  const parts = keyShape.test(text) ? keyParts.exec(text)?.groups : undefined;
  if (parts?.body === undefined || checksum(parts.body) !== parts.checksum) return undefined;
  return parts.id;
}

/** SHA-256 of a key's whole text. One round is enough: 190 random bits cannot be guessed. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function randomText(length: number, base: number): string {
  return Array.from({ length }, () => digits.charAt(randomInt(base))).join('');
}

/** CRC-32 in base 62; six digits hold every value. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let at = 0; at < 6; at += 1) {
    text = digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

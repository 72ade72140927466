import { hostFunction } from '../host-function.ts';

/** Bits of a character of each base. */
const bitsOf: Readonly<Record<string, number>> = { BASE2: 1, BASE8: 3, BASE16: 4, HEX: 4 };

const digitsOf: Readonly<Record<number, RegExp>> = { 1: /^[01]*$/, 3: /^[0-7]*$/, 4: /^[\da-f]*$/i };
const prefixOf: Readonly<Record<number, string>> = { 1: '0b', 3: '0o', 4: '0x' };

/** The bytes as one number in the base, with as many digits as all their bits need. */
function encodeDigits(bytes: Uint8Array, bits: number): string {
  const hex = Buffer.from(bytes).toString('hex');
  if (hex === '') return '';
  return BigInt(`0x${hex}`)
    .toString(2 ** bits)
    .padStart(Math.ceil((bytes.length * 8) / bits), '0');
}

function decodeDigits(text: string, bits: number, name: string): Uint8Array {
  if (!digitsOf[bits]?.test(text)) throw new Error(`Failed to decode invalid ${name} string`);
  const value = BigInt(`${prefixOf[bits]}${text || '0'}`);
  // As many bytes as are written with so many digits; bits in front of them do not count.
  const most = Math.floor((text.length * bits) / 8);
  const size = Math.ceil((most * 8) / bits) < text.length ? most + 1 : most;
  const hex = BigInt.asUintN(size * 8, value).toString(16);
  return size === 0 ? new Uint8Array() : Buffer.from(hex.padStart(size * 2, '0'), 'hex');
}

function toText(bytes: Uint8Array, format: string): string {
  const name = format.toUpperCase();
  const bits = bitsOf[name];
  if (bits !== undefined) return encodeDigits(bytes, bits);
  switch (name) {
    case 'BASE64':
      return Buffer.from(bytes).toString('base64');
    case 'BASE64M':
      return (
        Buffer.from(bytes)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\n');
    case 'ASCII':
      if (bytes.some((byte) => byte > 127)) throw new Error('Failed to decode invalid ASCII bytes');
      return Buffer.from(bytes).toString('latin1');
    case 'UTF8':
    case 'UTF-8':
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    default:
      throw new Error(`Invalid format '${format}'`);
  }
}

function fromText(text: string, format: string): Uint8Array {
  const name = format.toUpperCase();
  const bits = bitsOf[name];
  if (bits !== undefined) return decodeDigits(text, bits, name);
  switch (name) {
    case 'BASE64':
    case 'BASE64M': {
      const characters = text.replaceAll(/[\t-\r ]/g, '');
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(characters))
        throw new Error('Failed to decode invalid base64 string');
      return Buffer.from(characters, 'base64');
    }
    case 'ASCII':
      if (/[^\0-\x7f]/.test(text)) throw new Error('Failed to decode invalid ASCII string');
      return Buffer.from(text, 'latin1');
    case 'UTF8':
    case 'UTF-8':
      return Buffer.from(text);
    default:
      throw new Error(`Invalid format '${format}'`);
  }
}

/** CAST between texts and bytes by a format. */
export const bytesFormatFunctions = [
  hostFunction('host_format_bytes', ['BLOB', 'VARCHAR'], 'VARCHAR', toText),
  hostFunction('host_parse_bytes', ['VARCHAR', 'VARCHAR'], 'BLOB', fromText),
];

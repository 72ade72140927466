/**
 * Text in which each character is one byte of UTF-8, as Node's encoding `latin1` has it: it is joined as fast as any
 * string, has as many bytes as characters, and is copied into a buffer without being encoded.
 */
export type BinaryText = string;

export function toBinaryText(text: string): BinaryText {
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

const isAscii = /^[\0-\x7f]*$/;

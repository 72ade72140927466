import type { BlobLiteral, StringLiteral } from 'sql-parser-cst';
import { Unsupported } from '../unsupported.ts';

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  '?': 63,
  '"': 34,
  "'": 39,
  '`': 96,
};

const sequence = /\\(?:[xX]([\da-fA-F]{2})|([0-7]{3})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g;

/** The characters of a string literal, in any of BigQuery's quoting styles. */
export function textOf(node: StringLiteral): string {
  const { raw, body } = unquote(node.text);
  return raw ? body : decodeEscapes(node, body, (code) => String.fromCodePoint(code));
}

/** The bytes of a bytes literal. */
export function bytesOf(node: BlobLiteral): Buffer {
  const { raw, body } = unquote(node.text);
  // Latin-1 text holds one byte per character, so that \xff stays one byte; other text becomes UTF-8.
  const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  if (raw) return Buffer.from(body, 'utf8');
  const parts = body.split(/(\\(?:x[\da-f]{2}|[0-7]{3}|[\s\S]))/i);
  const text = parts.map((part, index) =>
    index % 2 === 1 ? decodeEscapes(node, part, (code) => String.fromCharCode(code & 255)) : latin(part),
  );
  return Buffer.from(text.join(''), 'latin1');
}

function unquote(text: string): { raw: boolean; body: string } {
  const [, prefix = '', , body = ''] = /^([rb]*)("""|'''|"|')([\s\S]*)\2$/i.exec(text) ?? [];
  return { raw: /r/i.test(prefix), body: body.replaceAll('\r\n', '\n') };
}

const decodeEscapes = (node: StringLiteral | BlobLiteral, body: string, char: (code: number) => string) =>
  body.replace(sequence, (escaped, hex, octal, short, long, character) => {
    const code = hex ?? short ?? long;
    if (code !== undefined) return char(Number.parseInt(code, 16));
    if (octal !== undefined) return char(Number.parseInt(octal, 8));
    if (character === '\n') return '';
    const simpleCode = simple[character];
    if (simpleCode === undefined) throw new Unsupported(node, `invalid escape sequence ${escaped}`);
    return char(simpleCode);
  });

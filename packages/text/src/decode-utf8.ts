/** The bytes of a text are not UTF-8: its message is what must be, and how to make it so. */
export class NotUtf8 extends Error {
  /** The first line that is not, from 1. */
  readonly line: number;

  constructor(line: number, encoding: string) {
    super(`must be UTF-8: iconv -f ${encoding} -t utf-8`);
    this.line = line;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes in UTF-8, with its byte order mark. @throws NotUtf8 */
export function decodeUtf8(bytes: Uint8Array): string {
  // An ASCII text in UTF-16 is UTF-8 too, with a NUL beside each character.
  if (isUtf16(bytes)) throw new NotUtf8(1, 'utf-16');
  if (isUtf8(bytes)) return utf8.decode(bytes);
  let line = 1;
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf(newline, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) throw new NotUtf8(line, 'latin1');
    start = end + 1;
  }
}

const newline = 10;

/** True for the byte order marks of UTF-16, and for a text without one whose first characters are ASCII. */
function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (second === 0 && fourth === 0 && first !== 0) || (first === 0 && third === 0 && second !== 0);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

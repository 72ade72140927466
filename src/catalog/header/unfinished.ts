import type { Problem } from '../../errors.ts';
import { readHeader } from './split-file.ts';

const marker = 'Fill in: ';

/** A text of a header that only its author can write. */
export const fillIn = (what: string): string => `${marker}${what}`;

/** False for a text that is left to the author. */
export const isFilledIn = (text: string): boolean => !text.startsWith(marker);

/** The texts of a saved-query file that its author has not written yet. */
export function unfinishedTexts(file: string, text: string): readonly Problem[] {
  const parts = readHeader(file, text);
  if (!('header' in parts)) return [];
  return textsIn(parts.header, []).flatMap(({ path, value }) =>
    isFilledIn(value)
      ? []
      : [
          {
            file,
            line: parts.lineOf(path),
            message: `${path.join('.')}: is not filled in yet: ${value.slice(marker.length)}`,
          },
        ],
  );
}

interface TextAt {
  readonly path: readonly string[];
  readonly value: string;
}

function textsIn(data: unknown, path: readonly string[]): readonly TextAt[] {
  if (typeof data === 'string') return [{ path, value: data }];
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => textsIn(value, [...path, key]));
}

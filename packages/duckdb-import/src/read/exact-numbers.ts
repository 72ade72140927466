import { parseJson } from '@querygate/text';

/** Numbers keep the digits of the text: as JavaScript numbers they would lose those beyond 2^53. */
export function parseExactNumbers(text: string): unknown {
  try {
    return parseJson(text, (value, source) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

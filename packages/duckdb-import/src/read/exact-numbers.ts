import { parseJson } from '@querygate/text';

/** NaN and Infinity, which DuckDB reads, although JSON does not have them. */
const bareNumbers = /(?<=[:,[]\s*)-?(?:NaN|Infinity)(?=\s*[,}\]])/g;

/** A JSON text with NULL for NaN and Infinity. */
export const withoutBareNumbers = (text: string): string => text.replace(bareNumbers, 'null');

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

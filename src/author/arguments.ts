import { commandError } from '@querygate/bigquery-sql/command';

export { commandError };

export function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw commandError(`${option}: got ${JSON.stringify(text)}; must be a whole number from 1`);
}

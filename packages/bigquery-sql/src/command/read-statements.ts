import { existsSync, readFileSync } from 'node:fs';
import { decodeUtf8, NotUtf8, parseJson } from '@querygate/text';
import { commandError } from './parameter-option.ts';
import { splitStatements } from './split-statements.ts';

/**
 * The statements of files, and of texts that are SQL or name a file; those of standard input if there are neither.
 *
 * @throws ProblemError
 */
export async function readStatements(
  files: readonly string[],
  given: readonly string[],
): Promise<readonly string[]> {
  const sources = [...files.map(ofFile), ...given.map(ofArgument)];
  const texts = sources.length > 0 ? sources.flat() : splitStatements(await standardInput());
  if (texts.length === 0) throw commandError('there is no statement; --help shows how to give one');
  return texts;
}

function ofArgument(text: string): readonly string[] {
  if (!/\.(sql|json)$/i.test(text)) return splitStatements(text);
  if (existsSync(text)) return ofFile(text);
  if (/\s/.test(text)) return splitStatements(text);
  throw commandError(`${text} cannot be read: there is no such file`);
}

function ofFile(file: string): readonly string[] {
  let text: string;
  try {
    text = decodeUtf8(readFileSync(file)).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof NotUtf8) throw commandError(`--file: ${file}:${error.line} ${error.message}`);
    throw commandError(`--file: ${file} cannot be read`);
  }
  return /\.json$/i.test(file) ? ofJson(file, text) : splitStatements(text);
}

/** The texts of a JSON array; each is one statement. */
function ofJson(file: string, json: string): readonly string[] {
  const invalid = commandError(
    `--file: ${file} must be a JSON array of texts, or of objects with a text sql`,
  );
  let content: unknown;
  try {
    content = parseJson(json);
  } catch {
    throw invalid;
  }
  if (!Array.isArray(content)) throw invalid;
  return content.map((item: unknown) => {
    const text = typeof item === 'object' && item !== null && 'sql' in item ? item.sql : item;
    if (typeof text !== 'string') throw invalid;
    return text;
  });
}

/** The text of standard input. @throws ProblemError if it is not UTF-8 */
export function inputText(bytes: Buffer): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    throw commandError(`line ${error.line} of standard input ${error.message}`);
  }
}

async function standardInput(): Promise<string> {
  const expected = 'expected a statement, a file, or SQL on standard input';
  if (process.stdin.isTTY) throw commandError(expected);
  const chunks = await Array.fromAsync(process.stdin as AsyncIterable<Buffer>);
  const text = inputText(Buffer.concat(chunks));
  if (text.trim() === '') throw commandError(`${expected}, which is empty`);
  return text;
}

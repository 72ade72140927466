import { forbiddenText } from '@querygate/text';

/** Why a file or folder may not be read; undefined for other errors. */
export function forbiddenReason(error: unknown, path: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  return `cannot be read (${code})${forbiddenText(path, 'read')}`;
}

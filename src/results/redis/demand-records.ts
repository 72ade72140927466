import type { CacheCrypto } from './cache-crypto.ts';

/** That callers request a key, as Redis stores it: encrypted, because a key contains the values of parameters. */
export interface DemandRecords {
  encode(key: string, requestedAt: number): string;
  /** @returns undefined for foreign text */
  decode(record: string): { readonly key: string; readonly requestedAt: number } | undefined;
}

/** Longer than the record of any key that is kept warm. */
export const maxRecordLength = 16_384;

/** The time is encrypted with the key: a record that was copied and put back later does not become newer. */
export function buildDemandRecords({ encrypt, decrypt }: CacheCrypto): DemandRecords {
  return {
    encode: (key, requestedAt) => encrypt(`${requestedAt} ${key}`),
    decode(record) {
      const match = /^(?<ms>\d{1,16}) (?<key>.*)$/s.exec(decrypt(record) ?? '');
      const { ms, key } = match?.groups ?? {};
      return ms === undefined || key === undefined ? undefined : { key, requestedAt: Number(ms) };
    },
  };
}

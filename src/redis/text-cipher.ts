import { createCipheriv, createDecipheriv, createHmac, type KeyObject } from 'node:crypto';

/** Encrypts texts that others may read or replace. */
export interface TextCipher {
  /** Equal for equal texts. */
  encrypt(text: string): string;
  /** @returns undefined for everything but a text of `encrypt` under the same keys */
  decrypt(text: string): string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. */
export const buildTextCipher = (ivKey: KeyObject, encryptKey: KeyObject): TextCipher => ({
  encrypt(text) {
    // A nonce that is derived from the text never occurs with two texts.
    const iv = createHmac('sha256', ivKey).update(text).digest().subarray(0, ivBytes);
    const cipher = createCipheriv('aes-256-gcm', encryptKey, iv);
    const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]).toString('base64url');
  },
  decrypt(text) {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.byteLength < ivBytes + tagBytes) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', encryptKey, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      const first = decipher.update(bytes.subarray(ivBytes + tagBytes));
      return Buffer.concat([first, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  },
});

import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';

const timeoutMs = 5_000;

const maxBytes = 256 * 1024;

const maxKeys = 100;

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(maxKeys) });

const publicKeyTypes: readonly string[] = ['RSA', 'EC', 'OKP'];

/**
 * The public keys of a key set (RFC 7517). Keys for encryption, secrets and private keys are left out.
 *
 * @throws Error, with a reason for the log, if it has none or cannot be fetched
 */
export async function fetchKeySet(url: string, signal?: AbortSignal): Promise<JSONWebKeySet> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    // It could lead to a place that the operator has not named.
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the status is ${response.status}`);
  }
  const parsed = keySet.safeParse(JSON.parse(await readText(response)));
  if (!parsed.success) throw new Error('the response is not a JSON Web Key Set');
  const keys = parsed.data.keys.filter(
    (key) => publicKeyTypes.includes(key.kty) && key.use !== 'enc' && !('d' in key) && !('k' in key),
  );
  if (keys.length === 0) throw new Error('the key set has no public keys');
  return { keys };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  for await (const chunk of body ?? []) {
    byteLength += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (byteLength > maxBytes) throw new Error(`the response is larger than ${maxBytes / 1024} KB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

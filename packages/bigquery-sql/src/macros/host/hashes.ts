import { createHash } from 'node:crypto';
import { farmFingerprint } from './farm-fingerprint.ts';
import { hostFunction } from './host-function.ts';

export const hashFunctions = [
  hostFunction('host_sha512', ['BLOB'], 'BLOB', (bytes) => createHash('sha512').update(bytes).digest()),
  hostFunction('host_farm_fingerprint', ['BLOB'], 'BIGINT', farmFingerprint),
];

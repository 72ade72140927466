/** Where callers come from. @module */
export type { KeyRequest, KeySource } from '../keys/key-source.ts';
export { makeKey, type NewKey } from '../keys/key-text.ts';
export { apiKey } from '../keys/sources/api-key.ts';
export { type JwtOptions, jwt } from '../keys/sources/jwt.ts';
export { type KeyFileOptions, keyFile } from '../keys/sources/key-file.ts';
export type { Caller, KeyFunction } from '../keys/sources/key-function.ts';

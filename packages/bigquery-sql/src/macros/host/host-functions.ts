import { createHash } from 'node:crypto';
import { bytesFormatFunctions } from './cast-format/bytes.ts';
import { floatFormatFunctions } from './cast-format/float.ts';
import { numberFormatFunctions } from './cast-format/number.ts';
import { timeFormatFunctions } from './cast-format/time.ts';
import { bignumericFunctions } from './decimals/bignumeric.ts';
import { decimalFunctions } from './decimals/decimal-functions.ts';
import { domainFunctions } from './domains.ts';
import { farmFingerprint } from './farm-fingerprint.ts';
import { type HostFunction, hostFunction } from './host-function.ts';
import { intervalFunctions } from './intervals.ts';
import { jsonEditFunctions } from './json-edit.ts';
import { jsonKeysFunctions } from './json-keys.ts';
import { jsonPointerFunctions } from './json-pointer.ts';
import { searchFunctions } from './search.ts';
import { hllFunctions } from './sketches/hll.ts';
import { kllFunctions } from './sketches/kll.ts';
import { statisticFunctions } from './statistics.ts';
import { unicodeFunctions } from './unicode.ts';

/** Every function that macros call and DuckDB lacks; a database needs them before the macros are defined. */
export const hostFunctions: readonly HostFunction[] = [
  hostFunction('host_sha512', ['BLOB'], 'BLOB', (bytes) => createHash('sha512').update(bytes).digest()),
  hostFunction('host_farm_fingerprint', ['BLOB'], 'BIGINT', farmFingerprint),
  ...unicodeFunctions,
  ...domainFunctions,
  ...intervalFunctions,
  ...bignumericFunctions,
  ...decimalFunctions,
  ...statisticFunctions,
  ...hllFunctions,
  ...kllFunctions,
  ...timeFormatFunctions,
  ...numberFormatFunctions,
  ...floatFormatFunctions,
  ...bytesFormatFunctions,
  ...jsonEditFunctions,
  ...jsonKeysFunctions,
  ...searchFunctions,
  ...jsonPointerFunctions,
];

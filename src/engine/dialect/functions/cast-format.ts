import type { CastFormat } from 'sql-parser-cst';
import type { Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import type { Type } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** `CAST(x AS type FORMAT '…')`. */
export function castFormat(format: CastFormat, _value: Sql, _type: Type, _to: Translator): Sql {
  throw new Unsupported(format, 'CAST … FORMAT is not supported');
}

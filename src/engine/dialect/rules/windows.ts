import type { FuncCall } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';

/** ` OVER (…)`, or nothing where the call has none. */
export function overText(node: FuncCall, _scope: Scope, _to: Translator): string {
  if (!node.over) return '';
  throw new Refusal(node.over, 'OVER is not supported');
}

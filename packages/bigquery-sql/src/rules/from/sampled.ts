import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import type { From } from '../../tree/nodes.ts';
import { Unsupported } from '../unsupported.ts';

/** `t TABLESAMPLE SYSTEM (10 PERCENT)`. @param of undefined if it was unsupported */
export function sampled(spec: Syntax.TableSample['spec'], of: From | undefined): From | undefined {
  const { method, size, unit } = spec;
  const isNumber = size.kind === 'IntegerLiteral' || size.kind === 'FloatLiteral';
  if (foldName(method.name) !== 'system' || unit !== 'PERCENT' || !isNumber)
    throw new Unsupported(spec, 'only TABLESAMPLE SYSTEM (number PERCENT) is supported');
  return of && { kind: 'sample', of, percent: Number(size.text) };
}

import { foldName } from '@querygate/text';
import { macros } from '../macros/macros.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';

/** The parameters that a query reads as time zones and as nothing else, in lower case. */
export function zoneParameters(query: Query): ReadonlySet<string> {
  const uses = new Map<string, number>();
  const count = (name: string, by: number) => uses.set(foldName(name), (uses.get(foldName(name)) ?? 0) + by);
  forEachNode(query, (node) => {
    if (node.kind === 'parameter') count(node.name, 1);
    if (node.kind !== 'call') return;
    const zone = node.args[zoneIndex(node.function)];
    if (zone?.kind === 'parameter') count(zone.name, -1);
  });
  return new Set([...uses].filter(([, others]) => others === 0).map(([name]) => name));
}

/** Which argument of a macro is a time zone; -1 for none. */
function zoneIndex(callee: string): number {
  const signatures = macros.get(/^bq\."?(\w+)/.exec(callee)?.[1] ?? '') ?? [];
  const own = signatures.find((signature) => signature.callee === callee) ?? signatures[0];
  return own?.parameters.findIndex(({ name }) => name === 'zone') ?? -1;
}

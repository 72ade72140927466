import type { Judged } from './judge-query.ts';
import type { Made } from './maker.ts';
import { smallerTrees } from './tree.ts';

const maxTrials = 250;

/** The smallest query found that still has the outcome. */
export async function shrink(
  made: Made,
  first: Judged,
  judge: (made: Made) => Promise<Judged>,
): Promise<{ made: Made; judged: Judged }> {
  let [best, judged] = [made, first];
  let trials = 0;
  for (let found = true; found && trials < maxTrials; ) {
    found = false;
    for (const tree of smallerTrees(best.tree)) {
      if (trials >= maxTrials) break;
      trials += 1;
      const smaller = { ...best, tree };
      const again = await judge(smaller).catch(() => undefined);
      if (again?.outcome !== judged.outcome || !isSameKind(again, judged)) continue;
      [best, judged, found] = [smaller, again, true];
      break;
    }
  }
  return { made: best, judged };
}

/** An error must stay the same one. */
const isSameKind = (a: Judged, b: Judged) => kindOf(a) === kindOf(b);

export const kindOf = ({ ours }: Judged): string =>
  'error' in ours
    ? (ours.error
        .split('\n')[0]
        ?.replaceAll(/"[^"]*"|'[^']*'|\d+/g, '…')
        .slice(0, 80) ?? '')
    : '';

import { atLeast } from '../goals.ts';
import { type Load, responsesPerSecond } from './load.ts';

export interface Side {
  readonly name: string;
  readonly port: number;
  readonly nextRequest: Load['nextRequest'];
}

export interface Comparison {
  readonly title: string;
  readonly side: Side;
  readonly against: Side;
  /** The least ratio of `side` to `against`. */
  readonly goal: number;
}

export const connections = 64;

/** One line: both sides loaded in turn, and the median of the rounds' ratios beside its goal. */
export async function compareInTurns(
  { title, side, against, goal }: Comparison,
  { rounds = 7, roundMs = 500 } = {},
): Promise<string> {
  const load = ({ port, nextRequest }: Side, ms = roundMs) =>
    responsesPerSecond({ port, nextRequest, connections, ms });
  // Until their code is compiled.
  await load(side, 1_000);
  await load(against, 1_000);
  const seen: { readonly side: number; readonly against: number; readonly ratio: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The side that goes second finds another machine: they take turns.
    const order = round % 2 === 0 ? [side, against] : [against, side];
    const perSecond = new Map<Side, number>();
    for (const one of order) perSecond.set(one, await load(one));
    const [of, other] = [perSecond.get(side) ?? 0, perSecond.get(against) ?? 0];
    seen.push({ side: of, against: other, ratio: of / other });
  }
  const median = (name: keyof (typeof seen)[number]) =>
    seen.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  const figures = `${Math.round(median('side'))}/s against ${Math.round(median('against'))}/s of ${against.name}`;
  const ratio = median('ratio');
  return atLeast(`${title}: ${figures}, ratio ${ratio.toFixed(2)}`, ratio, goal);
}

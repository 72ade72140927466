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

const connections = 64;

/**
 * One line: both sides loaded in turn, and the median of the rounds' ratios beside its goal; below it the process ends
 * with exit code 1.
 */
export async function compareInTurns(
  { title, side, against, goal }: Comparison,
  { rounds = 7, roundMs = 1_000 } = {},
): Promise<string> {
  const load = ({ port, nextRequest }: Side, ms = roundMs) =>
    responsesPerSecond({ port, nextRequest, connections, ms });
  await load(side);
  await load(against);
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
  const holds = median('ratio') >= goal;
  if (!holds) process.exitCode = 1;
  const figures = `${Math.round(median('side'))}/s against ${Math.round(median('against'))}/s of ${against.name}`;
  return `${title}: ${figures}, ratio ${median('ratio').toFixed(2)}; at least ${goal}: ${holds ? 'holds' : 'DOES NOT HOLD'}`;
}

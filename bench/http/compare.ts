import { atLeast } from '../goals.ts';
import { processorMsOfProcess } from '../../test/support/processor-time.ts';
import { type Load, responsesIn } from './load.ts';

export interface Side {
  readonly name: string;
  readonly port: number;
  /** Of its process, where its processor time is compared. */
  readonly pid?: number | undefined;
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

/** Responses before the first one that counts. */
const warmUps = 20_000;

/**
 * One line: both sides loaded in turn, and the median of the rounds' ratios beside its goal. Where the processes of both are known,
 * what decides is the processor time of a response, which other processes of the machine change least.
 */
export async function compareInTurns(
  { title, side, against, goal }: Comparison,
  { rounds = 7, roundMs = 500 } = {},
): Promise<string> {
  const load = async ({ port, nextRequest, pid }: Side, ms = roundMs) => {
    const before = pid === undefined ? 0 : processorMsOfProcess(pid);
    const { responses, seconds } = await responsesIn({ port, nextRequest, connections, ms });
    const processorMs = pid === undefined ? Number.NaN : processorMsOfProcess(pid) - before;
    return { responses, perSecond: responses / seconds, processorMs };
  };
  for (const one of [side, against]) {
    // Until its code is compiled.
    for (let round = 0, responses = 0; round < 5 && responses < warmUps; round += 1)
      responses += (await load(one, 1_000)).responses;
  }
  const times = new Map([side, against].map((one) => [one, { processorMs: 0, responses: 0 }]));
  const seen: { readonly side: number; readonly against: number; readonly ratio: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The side that goes second finds another machine: they take turns.
    const order = round % 2 === 0 ? [side, against] : [against, side];
    const perSecond = new Map<Side, number>();
    for (const one of order) {
      const loaded = await load(one);
      perSecond.set(one, loaded.perSecond);
      const { processorMs = 0, responses = 0 } = times.get(one) ?? {};
      times.set(one, {
        processorMs: processorMs + loaded.processorMs,
        responses: responses + loaded.responses,
      });
    }
    const [of, other] = [perSecond.get(side) ?? 0, perSecond.get(against) ?? 0];
    seen.push({ side: of, against: other, ratio: of / other });
  }
  const median = (name: keyof (typeof seen)[number]) =>
    seen.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  const figures = `${Math.round(median('side'))}/s against ${Math.round(median('against'))}/s of ${against.name}`;
  const ratio = median('ratio');
  const [of = Number.NaN, other = Number.NaN] = [side, against].map((one) => {
    const { processorMs = 0, responses = 0 } = times.get(one) ?? {};
    return (processorMs * 1_000) / responses;
  });
  if (Number.isNaN(of + other))
    return atLeast(`${title}: ${figures}, ratio ${ratio.toFixed(2)}`, ratio, goal);
  const ofTime = other / of;
  const processor = `processor time ${of.toFixed(1)} µs against ${other.toFixed(1)} µs, ratio ${ofTime.toFixed(2)}`;
  return atLeast(`${title}: ${figures}, ratio ${ratio.toFixed(2)}; ${processor}`, ofTime, goal);
}

import { Gate } from '../../src/call/gate.ts';
import { Obtain } from '../../src/call/obtain.ts';
import { EndpointRequest } from '../../src/call/endpoint-request.ts';
import type { RawParameters } from '../../src/catalog/binding/bind.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { unrestricted } from '../../src/keys/principal.ts';
import type { GetResult } from '../../src/results/get-result.ts';
import type { CurrentResults } from '../../src/results/current-results.ts';

interface GateTestOptions {
  readonly turns?: LoopTurns;
  readonly audit?: (error: unknown) => void;
  readonly now?: () => Date;
}

export const openGate = ({
  turns = new LoopTurns(),
  audit = () => {},
  now = () => new Date(),
}: GateTestOptions = {}) => new Gate({ turns, audit, now });

interface CallTestOptions extends GateTestOptions {
  /** Gives results that are in memory; by default none is. */
  readonly find?: CurrentResults['find'];
}

/** What an operation needs to get results, from a function that gives them. */
export function openCalls(getResult: GetResult, options: CallTestOptions = {}) {
  const { turns = new LoopTurns(), audit = () => {}, find = () => undefined } = options;
  const noParts = () => {
    throw new Error('no parts here');
  };
  return {
    gate: openGate({ ...options, turns }),
    obtain: new Obtain({
      getResult,
      current: { find },
      showResult: () => {},
      turns,
      audit,
      applyRowRequest: noParts,
      pageOfResult: noParts,
    }),
  };
}

/** A call of a key that may run everything. */
export const callOf = (query: SavedQuery, parameters: RawParameters = new Map(), now?: () => Date) =>
  openGate(now && { now }).reopen(new EndpointRequest(query, parameters), unrestricted('test'));

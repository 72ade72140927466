/** The rights of a caller, its share of the gateway, and where it is. @module */
export type { Admission, CallingRequest } from '../../call/caller.ts';
export { mayQuery, requireEndpoint } from '../../call/gate.ts';
export { FairShare, Holding, type Owner, sharersOf } from '../../concurrency/fair-share.ts';
export { computingOwner, runSteps } from '../../concurrency/loop-turns.ts';
export { isLoopback } from '../../config/loopback.ts';
export { isFromLoopback } from '../../http/access/loopback.ts';
export { mayPassSql, ownerOf, type Principal } from '../../keys/principal.ts';

import type { ExecutionResult, ValidatedSubscriptionArgs } from 'graphql';
import type { Gate } from '../../../call/gate.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { memoize } from '../../../memoize.ts';
import type { Following } from '../../following.ts';
import type { Reply } from '../../message/reply.ts';
import type { Operation } from '../context.ts';
import type { FieldToFollow } from '../execution/field-to-follow.ts';
import { buildResultWriters, type ResultWriterOptions } from './result-writer.ts';

interface FollowOptions extends ResultWriterOptions {
  readonly gate: Gate;
  readonly following?: Following | undefined;
}

/** Answers a subscription with a stream of the results of its field, or says what is wrong. @throws GatewayError as `Gate.open` and `Following.subscribe` do */
export type FollowField = (
  field: FieldToFollow,
  subscription: ValidatedSubscriptionArgs,
  operation: Operation,
) => Promise<Reply | ExecutionResult>;

export function buildFollowField(options: FollowOptions): FollowField {
  const { following, gate } = options;
  const writerOf = buildResultWriters(options);
  return async (field, subscription, operation) => {
    if (following === undefined) throw new Error('a subscription that the schema does not have');
    const { head, admission } = operation;
    const { endpoint, fieldName } = field;
    const call = await gate.open(endpoint, { head, admission });
    const resolve = (catalog: Catalog) => queriesByField(catalog).get(fieldName);
    const writer = writerOf(field, subscription, operation);
    return (await writer.check()) ?? following.subscribe({ head, call, resolve, writer });
  };
}

const queriesByField = memoize(
  (catalog: Catalog) => new Map(publicNames(catalog).map(({ field, query }) => [field, query])),
);

import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  locatedError,
  validateSubscriptionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../../../errors.ts';
import { eventStreamType, namesStream } from '../../accepted-stream.ts';
import type { ServerContext } from '../context.ts';
import { errorOptions } from '../errors.ts';
import { FieldToFollow } from '../execution/field-to-follow.ts';
import type { FollowField } from '../subscriptions/follow-field.ts';

/** Answers subscriptions with a stream of the results of their field, which a plug-in of the gateway delivers. */
export function followSubscriptions(
  leaves: GraphQLSchema,
  followField: FollowField,
): Plugin<object, ServerContext> {
  const follow = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const { operation } = args.contextValue as ServerContext;
    if (!namesStream(operation.accept)) throw onlyAsStream(operation.accept);
    const subscription = validateSubscriptionArgs({ ...args, schema: leaves, ...errorOptions });
    if (!('schema' in subscription)) return { errors: subscription };
    const source = await createSourceEventStream(subscription);
    if (!(source instanceof FieldToFollow)) return source as ExecutionResult;
    try {
      const followed = await followField(source, subscription, operation);
      if (!('status' in followed)) return followed;
      operation.reply = followed;
      return { data: null };
    } catch (error) {
      // Clients try again what passes.
      if (error instanceof GatewayError && error.retryAfterSeconds !== undefined) throw error;
      return { errors: [locatedError(error, source.nodes, [source.responseKey])] };
    }
  };
  return {
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn(async (args) => {
        const { operation } = args.contextValue;
        try {
          return await follow(args);
        } catch (error) {
          operation.refusal = error;
          return { data: null };
        }
      }),
  };
}

/** Apollo Client sends subscriptions in a protocol of its own, by `multipart/mixed`. */
const onlyAsStream = (accept = '') => {
  const cure = /multipart\/mixed/i.test(accept)
    ? "; Apollo Client's HttpLink cannot, and needs a link of graphql-sse beside it, as docs/live.md#clients has it"
    : '';
  return new GatewayError(
    'NOT_ACCEPTABLE',
    `Subscriptions are answered with events; accept ${eventStreamType}${cure}`,
  );
};

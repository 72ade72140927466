import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { EndpointRequest } from '../../../call/endpoint-request.ts';

/** The source of a subscription's events: not events, but what the gateway delivers in their place. */
export class FieldToFollow {
  readonly endpoint: EndpointRequest;
  readonly fieldName: string;
  readonly nodes: readonly FieldNode[];
  readonly responseKey: string;

  constructor(endpoint: EndpointRequest, { fieldName, fieldNodes, path }: GraphQLResolveInfo) {
    this.endpoint = endpoint;
    this.fieldName = fieldName;
    this.nodes = fieldNodes;
    this.responseKey = String(path.key);
  }

  /** graphql-js recognizes a source by it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<never> {}
}

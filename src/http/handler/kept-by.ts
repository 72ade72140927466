import { labelsHeader } from '../../call/gate.ts';
import { checkMediaTypes } from '../graphql/read-operation.ts';
import { acceptedStream } from '../live/negotiate.ts';
import type { RequestHead, RequestHeaders } from '../message/head.ts';
import type { Route } from '../message/route.ts';

type KeptBy = NonNullable<Route['keptBy']>;

const labelsName = labelsHeader.toLowerCase();

/** Characters of the headers; more are hardly sent twice. */
const maxLength = 500;

/** HEAD has headers of its own, and a caller who waits gets a later result. */
export const restKeptBy: KeptBy = ({ method, headers }: RequestHead) =>
  method === 'GET' && headers.prefer === undefined ? textOf(headers) : undefined;

export const graphqlKeptBy: KeptBy = (head) => {
  checkMediaTypes(head);
  const { headers } = head;
  return acceptedStream(headers.accept) === undefined ? textOf(headers) : undefined;
};

/** What chooses a format, and labels, which may be refused. */
function textOf({ accept = '', [labelsName]: labels = '' }: RequestHeaders): string | undefined {
  return accept.length + labels.length > maxLength ? undefined : `${accept}\n${labels}`;
}

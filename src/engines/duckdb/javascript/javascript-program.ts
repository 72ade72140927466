import { computeInThread, endStatement } from '@querygate/bigquery-sql/duckdb';
import { connectToParent } from '../../../process/connect-to-parent.ts';
import { type ComputeRequest, type ForgetRequest, fromProcess, toProcess } from './compute-messages.ts';

/** The program that computes functions in JavaScript: nothing but its caller waits for it. */
const channel = connectToParent(({ kind, id, payload }) => {
  const message: unknown = JSON.parse(Buffer.from(payload).toString());
  if (kind === toProcess.forget) endStatement((message as ForgetRequest).id);
  else channel.sendJson(fromProcess.answer, id, computeInThread(message as ComputeRequest));
});
channel.send(fromProcess.ready, 0);

import { deserialize } from 'node:v8';
import { untilAborted } from '../../concurrency/abort.ts';
import { systemClock } from '../../concurrency/clock.ts';
import { computingOwner, LoopTurns } from '../../concurrency/loop-turns.ts';
import { Slots } from '../../concurrency/slots.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import { callerDisconnected } from '../../errors.ts';
import type { Channel } from '../../process/channel.ts';
import { connectToParent } from '../../process/connect-to-parent.ts';
import type { Frame } from '../../process/frames.ts';
import type { Engine, EngineListener, Rows } from '../engine.ts';
import type { EngineHost } from '../engine-factory.ts';
import { recentForm } from '../../catalog/model/query-forms.ts';
import { documentTexts, rowCountOf } from '../rows-document.ts';
import { CatalogReceiver } from './catalog-copies.ts';
import {
  type CatalogMessage,
  type CheckAnswer,
  type EventMessage,
  type OpenMessage,
  type ReleaseMessage,
  type RunMessage,
  toEngine,
  toGateway,
} from './messages.ts';
import { errorToWire } from './wire-error.ts';

/** How many results are made into bytes at once: each may be some megabytes, and is in memory several times. */
const maxResultsBeingSent = 4;

/** Characters of rows that are made into bytes at once: a millisecond of work. */
const stepLength = 256 * 1024;

/** A run that is not answered yet. */
interface Run {
  readonly abort: AbortController;
  readonly mayGoOn: PromiseWithResolvers<void>;
}

/**
 * What the process of an engine does: it opens the engine when the gateway says so, runs queries, and ends with the gateway.
 * To be called first in its program.
 *
 * @param open the engine; settings are what `openRemote` was given
 */
export function serveEngine<Settings>(
  open: (host: EngineHost, settings: Settings) => Promise<Engine>,
  dialect: ConstructorParameters<typeof CatalogReceiver>[0],
): void {
  const turns = new LoopTurns();
  const slots = new Slots(maxResultsBeingSent);
  const runs = new Map<number, Run>();
  const catalogs = new CatalogReceiver(dialect);
  /** By the request that made another version the current one. */
  const releases = new Map<number, () => Promise<void>>();
  let engine: Engine | undefined;
  let time: number | undefined;

  const event = (message: EventMessage) => channel.sendJson(toGateway.event, 0, message);
  const events: EngineListener = {
    problem: (text) => event({ type: 'problem', text }),
    news: (text) => event({ type: 'news', text }),
    progress: (text) => event({ type: 'progress', text }),
    imported: (report) => event({ type: 'imported', report }),
    unusable: (error) => event({ type: 'unusable', text: error.message }),
    stuck: (text) => event({ type: 'stuck', text }),
    sqlStopped: (stopped) => event({ type: 'sqlStopped', stopped }),
  };
  const now = () => (time === undefined ? systemClock.now() : new Date(time));

  const openEngine = async ({ id, payload }: Frame) => {
    const message: OpenMessage<Settings> = deserialize(payload);
    time = message.time;
    const catalog = catalogs.receive(message.catalog);
    engine = await open({ catalog, limits: message.limits, now, events, turns }, message.settings);
    channel.sendJson(toGateway.opened, id, { source: engine.source });
  };
  const run = async ({ id, payload }: Frame) => {
    const { query: number, form, parameters, sql, labels, owner, wantsStart }: RunMessage = jsonOf(payload);
    const abort = new AbortController();
    const mayGoOn = Promise.withResolvers<void>();
    runs.set(id, { abort, mayGoOn });
    const slot = slots.slotFor(owner);
    const { signal } = abort;
    try {
      const known = catalogs.get(number);
      if (known === undefined || engine === undefined) throw new Error(`query ${number} is not known`);
      const query = form === undefined ? known : recentForm(known, form);
      const rows = await engine.run(
        { query, parameters, ...(sql !== undefined && { sql }), ...(labels && { labels }) },
        {
          signal,
          owner,
          onStart: wantsStart ? () => channel.send(toGateway.started, id) : undefined,
          beforeRows: (aborted) => slot.take(aborted),
        },
      );
      await slot.take(signal);
      await sendRows(channel, id, rows, { turns, owner, signal, mayGoOn: mayGoOn.promise });
    } finally {
      slot.giveBack();
      runs.delete(id);
    }
  };
  const check = async ({ id, payload }: Frame) => {
    const message: CatalogMessage = deserialize(payload);
    const found = await engine?.updates?.check(catalogs.receive(message));
    const numbers = catalogs.numbersOf(message);
    const answer: CheckAnswer = [...(found ?? [])].map(([query, problems]) => [
      numbers.get(query) ?? 0,
      problems,
    ]);
    channel.sendJson(toGateway.answer, id, answer);
  };
  const replace = async ({ id, payload }: Frame) => {
    const release = await engine?.updates?.replace(catalogs.receive(deserialize(payload)));
    if (release !== undefined) releases.set(id, release);
    channel.sendJson(toGateway.answer, id, []);
  };
  const release = async ({ id, payload }: Frame) => {
    const { replaced }: ReleaseMessage = jsonOf(payload);
    const call = releases.get(replaced);
    releases.delete(replaced);
    await call?.();
    channel.sendJson(toGateway.answer, id, []);
  };
  const close = async () => {
    await engine?.close();
    process.exit(0);
  };

  /** Those that are answered. */
  const requests: Readonly<Record<number, (frame: Frame) => Promise<void>>> = {
    [toEngine.open]: openEngine,
    [toEngine.run]: run,
    [toEngine.check]: check,
    [toEngine.replace]: replace,
    [toEngine.release]: release,
    [toEngine.close]: close,
  };
  process.on('unhandledRejection', (error) =>
    event({ type: 'problem', text: `a bug in the engine: ${error}` }),
  );
  const channel = connectToParent((frame) => {
    const { kind, id, payload } = frame;
    const request = requests[kind];
    if (request !== undefined) {
      request(frame).catch((error) => channel.sendJson(toGateway.failed, id, errorToWire(error)));
    } else if (kind === toEngine.goOn) runs.get(id)?.mayGoOn.resolve();
    else if (kind === toEngine.cancel) runs.get(id)?.abort.abort(callerDisconnected());
    else if (kind === toEngine.time) time = jsonOf<number>(payload);
  });
}

interface SendOptions {
  readonly turns: LoopTurns;
  readonly owner: Owner;
  readonly signal: AbortSignal;
  readonly mayGoOn: Promise<void>;
}

/** Sends a result in parts. All but the first wait until the gateway has room for a large result, and for each other. */
async function sendRows(
  channel: Channel,
  id: number,
  result: Rows,
  { turns, owner, signal, mayGoOn }: SendOptions,
): Promise<void> {
  const { truncated, cost, columns } = result;
  let isFirst = true;
  for (const part of partsOf(result)) {
    if (!isFirst) {
      await channel.drained();
      await turns.next(computingOwner(owner));
      signal.throwIfAborted();
    }
    channel.send(toGateway.part, id, part);
    if (isFirst && part.byteLength >= stepLength) {
      channel.send(toGateway.waiting, id);
      await untilAborted(mayGoOn, signal);
    }
    isFirst = false;
  }
  channel.sendJson(toGateway.ended, id, { rowCount: rowCountOf(result), truncated, cost, columns });
}

/** The bytes of a result, each part of which is made when it is to be sent. */
function* partsOf(result: Rows): Generator<Uint8Array> {
  const { document } = result;
  for (const part of document?.parts ?? []) {
    for (let at = 0; at < part.byteLength; at += stepLength) yield part.subarray(at, at + stepLength);
  }
  if (document === undefined)
    for (const text of documentTexts(result.rows, stepLength)) yield Buffer.from(text);
}

const jsonOf = <T>(payload: Buffer): T => JSON.parse(payload.toString());

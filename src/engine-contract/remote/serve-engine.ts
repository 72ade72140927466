import { deserialize } from 'node:v8';
import { untilAborted } from '../../concurrency/abort.ts';
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
  type ChangesMessage,
  type CheckAnswer,
  type EndedMessage,
  type EventMessage,
  type OpenMessage,
  type ReleaseMessage,
  type RunMessage,
  toEngine,
  toGateway,
} from './messages.ts';
import { changesToWire } from './wire-changes.ts';
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

type OpenEngine<Settings> = (host: EngineHost, settings: Settings) => Promise<Engine>;
type Dialect = ConstructorParameters<typeof CatalogReceiver>[0];

/**
 * Runs the process of an engine: opens the engine when the gateway says so, runs queries, and ends with the gateway. To
 * be called first in its program.
 *
 * @param open the engine; settings are what `openRemote` was given
 */
export function serveEngine<Settings>(open: OpenEngine<Settings>, dialect: Dialect): void {
  const channel = connectToParent((frame) => server.receive(frame));
  const server = new EngineServer(open, dialect, channel);
  process.on('unhandledRejection', (error) =>
    channel.sendJson(toGateway.event, 0, { type: 'problem', text: `a bug in the engine: ${error}` }),
  );
}

/** Answers the frames of the gateway. */
class EngineServer<Settings> {
  readonly #open: OpenEngine<Settings>;
  readonly #channel: Channel;
  readonly #turns = new LoopTurns();
  readonly #slots = new Slots(maxResultsBeingSent);
  readonly #runs = new Map<number, Run>();
  readonly #catalogs: CatalogReceiver;
  /** By the request that made another version the current one. */
  readonly #releases = new Map<number, () => Promise<void>>();
  /** For frames that have an answer. */
  readonly #answers: Readonly<Record<number, (frame: Frame) => Promise<void>>> = {
    [toEngine.open]: (frame) => this.#openEngine(frame),
    [toEngine.run]: (frame) => this.#run(frame),
    [toEngine.check]: (frame) => this.#check(frame),
    [toEngine.replace]: (frame) => this.#replace(frame),
    [toEngine.release]: (frame) => this.#release(frame),
    [toEngine.close]: () => this.#close(),
    [toEngine.changes]: (frame) => this.#changes(frame),
  };
  #engine: Engine | undefined;
  #time = 0;

  constructor(open: OpenEngine<Settings>, dialect: Dialect, channel: Channel) {
    this.#open = open;
    this.#catalogs = new CatalogReceiver(dialect);
    this.#channel = channel;
  }

  receive(frame: Frame): void {
    const { kind, id, payload } = frame;
    const answer = this.#answers[kind];
    if (answer !== undefined) {
      answer(frame).catch((error) => this.#channel.sendJson(toGateway.failed, id, errorToWire(error)));
    } else if (kind === toEngine.goOn) this.#runs.get(id)?.mayGoOn.resolve();
    else if (kind === toEngine.cancel) this.#runs.get(id)?.abort.abort(callerDisconnected());
    else if (kind === toEngine.time) this.#time = jsonOf<number>(payload);
  }

  async #openEngine({ id, payload }: Frame): Promise<void> {
    const message: OpenMessage<Settings> = deserialize(payload);
    this.#time = message.time;
    const host = {
      catalog: this.#catalogs.receive(message.catalog),
      limits: message.limits,
      now: () => new Date(this.#time),
      events: {
        ...listenerOf((event) => this.#channel.sendJson(toGateway.event, 0, event)),
        dataChanged: () => this.#sendVersions(),
      },
      turns: this.#turns,
    };
    this.#engine = await this.#open(host, message.settings);
    this.#sendVersions();
    this.#channel.sendJson(toGateway.opened, id, { source: this.#engine.source });
  }

  #sendVersions(): void {
    const engine = this.#engine;
    if (engine?.dataVersionOf === undefined) return;
    const versions = [...this.#catalogs.all()].flatMap(([number, query]): (readonly [number, string])[] => {
      const version = engine.dataVersionOf?.(query);
      return version === undefined ? [] : [[number, version]];
    });
    const event: EventMessage = { type: 'dataVersions', versions };
    if (versions.length > 0) this.#channel.sendJson(toGateway.event, 0, event);
  }

  async #run({ id, payload }: Frame): Promise<void> {
    const message: RunMessage = jsonOf(payload);
    const { query: number, form, parameters, sql, labels, owner, wave } = message;
    const abort = new AbortController();
    const mayGoOn = Promise.withResolvers<void>();
    this.#runs.set(id, { abort, mayGoOn });
    const slot = this.#slots.slotFor(owner);
    const { signal } = abort;
    try {
      const known = this.#catalogs.get(number);
      const engine = this.#engine;
      if (known === undefined || engine === undefined) throw new Error(`query ${number} is not known`);
      const query = form === undefined ? known : recentForm(known, form);
      const rows = await engine.run(
        { query, parameters, ...(sql !== undefined && { sql }), ...(labels && { labels }) },
        {
          signal,
          owner,
          wave,
          onStart: () => this.#channel.send(toGateway.started, id),
          beforeRows: (aborted) => slot.take(aborted),
        },
      );
      await slot.take(signal);
      const options = { turns: this.#turns, owner, signal, mayGoOn: mayGoOn.promise };
      await sendRows(this.#channel, id, rows, options);
    } finally {
      slot.giveBack();
      this.#runs.delete(id);
    }
  }

  async #check({ id, payload }: Frame): Promise<void> {
    const message: CatalogMessage = deserialize(payload);
    const found = await this.#engine?.updates?.check(this.#catalogs.receive(message));
    const numbers = this.#catalogs.numbersOf(message);
    const answer: CheckAnswer = [...(found ?? [])].map(([query, problems]) => [
      numbers.get(query) ?? 0,
      problems,
    ]);
    this.#channel.sendJson(toGateway.answer, id, answer);
  }

  async #replace({ id, payload }: Frame): Promise<void> {
    const release = await this.#engine?.updates?.replace(this.#catalogs.receive(deserialize(payload)));
    if (release !== undefined) this.#releases.set(id, release);
    this.#sendVersions();
    this.#channel.sendJson(toGateway.answer, id, []);
  }

  async #release({ id, payload }: Frame): Promise<void> {
    const { replaced }: ReleaseMessage = jsonOf(payload);
    const call = this.#releases.get(replaced);
    this.#releases.delete(replaced);
    await call?.();
    this.#channel.sendJson(toGateway.answer, id, []);
  }

  async #changes({ id, payload }: Frame): Promise<void> {
    const { tables, since }: ChangesMessage = jsonOf(payload);
    const changes = await this.#engine?.changes?.(tables, since, new AbortController().signal);
    this.#channel.sendJson(toGateway.answer, id, changesToWire(changes));
  }

  async #close(): Promise<void> {
    await this.#engine?.close();
    process.exit(0);
  }
}

const listenerOf = (send: (event: EventMessage) => void): EngineListener => ({
  problem: (text) => send({ type: 'problem', text }),
  news: (text) => send({ type: 'news', text }),
  progress: (text) => send({ type: 'progress', text }),
  imported: (report) => send({ type: 'imported', report }),
  unusable: (error) => send({ type: 'unusable', text: error.message }),
  stuck: (text) => send({ type: 'stuck', text }),
  sqlStopped: (stopped) => send({ type: 'sqlStopped', stopped }),
});

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
  const { truncated, cost, dataVersion, columns } = result;
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
  const ended: EndedMessage = {
    rowCount: rowCountOf(result),
    truncated,
    ...(cost && { cost }),
    ...(dataVersion !== undefined && { dataVersion }),
    ...(columns && { columns }),
  };
  channel.sendJson(toGateway.ended, id, ended);
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

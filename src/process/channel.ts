import type { Duplex } from 'node:stream';
import { type Frame, FrameReader, frameHead } from './frames.ts';

/** Frames to and from another process. */
export interface Channel {
  /** Sends a frame; nothing if the other process is gone. Frames of one turn of the event loop go out together. */
  send(kind: number, id: number, payload?: Uint8Array): void;
  /** The same, with a message as JSON. */
  sendJson(kind: number, id: number, message: unknown): void;
  /**
   * To be awaited before each further part of something large: undefined while the other process keeps up with reading; also
   * resolves when it is gone.
   */
  drained(): Promise<void> | undefined;
  /** Sends a frame that the other process answers by itself. @returns whether the previous one was answered */
  ping(): boolean;
  close(): void;
}

interface ChannelOptions {
  /** If it throws, the other process has sent what cannot be read. */
  onFrame(frame: Frame): void;
  /** Called once, when the other process is gone, or has sent what cannot be read. @param error what was wrong with that */
  onEnd(error?: unknown): void;
  /** The longest payload that is read. */
  readonly maxPayloadBytes?: number | undefined;
  /** True if it answers pings of the other process. */
  readonly answersPings?: boolean;
}

const usualMaxPayloadBytes = 1_000_000_000;

/** Frames of the channel itself. */
const ownKind = 0;
const pingId = 0;
const pongId = 1;
const nothing = new Uint8Array();

export function openChannel(
  stream: Duplex,
  { onFrame, onEnd, maxPayloadBytes = usualMaxPayloadBytes, answersPings = false }: ChannelOptions,
): Channel {
  let isOpen = true;
  let isCorked = false;
  let isAnswered = true;
  let draining: PromiseWithResolvers<void> | undefined;
  const resume = () => {
    draining?.resolve();
    draining = undefined;
  };
  const end = (error?: unknown) => {
    if (!isOpen) return;
    isOpen = false;
    resume();
    onEnd(error);
    stream.destroy();
  };
  const uncork = () => {
    isCorked = false;
    stream.uncork();
  };
  const send = (kind: number, id: number, payload: Uint8Array = nothing) => {
    if (!isOpen) return;
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    stream.write(frameHead(kind, id, payload.byteLength));
    if (payload.byteLength > 0) stream.write(payload);
  };
  const reader = new FrameReader((frame) => {
    if (!isOpen) return;
    if (frame.kind !== ownKind) onFrame(frame);
    else if (frame.id === pongId) isAnswered = true;
    else if (answersPings) send(ownKind, pongId);
  }, maxPayloadBytes);
  stream.on('data', (chunk: Buffer) => {
    try {
      reader.read(chunk);
    } catch (error) {
      // It must not end this process, whose peer may be hostile.
      end(error);
    }
  });
  stream.on('drain', resume);
  // A process that is killed breaks the connection in one way or another.
  for (const event of ['end', 'error', 'close']) stream.on(event, () => end());
  return {
    send,
    sendJson: (kind, id, message) => send(kind, id, Buffer.from(JSON.stringify(message))),
    drained() {
      if (!isOpen || !stream.writableNeedDrain) return undefined;
      draining ??= Promise.withResolvers();
      return draining.promise;
    },
    ping() {
      const wasAnswered = isAnswered;
      isAnswered = false;
      if (wasAnswered) send(ownKind, pingId);
      return wasAnswered;
    },
    close() {
      isOpen = false;
      resume();
      stream.destroy();
    },
  };
}

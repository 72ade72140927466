/** An event of a stream. */
export interface StreamEvent {
  readonly type: string;
  /** Where a connection may begin again; undefined if the event has none. */
  readonly id: string | undefined;
  readonly data: string;
}

/** A result that is longer is not for a page. */
const maxEventLength = 64_000_000;

/**
 * Reads server-sent events from parts of their text. It keeps no more than the event that has not ended.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventReader {
  #line = '';
  #type = '';
  #id: string | undefined;
  #data: string[] = [];
  #length = 0;
  #retryMs: number | undefined;

  /** After which time the server wants clients to connect again, if it has said so. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @throws RangeError if an event is too long */
  *read(part: string): Generator<StreamEvent> {
    this.#length += part.length;
    if (this.#length > maxEventLength) throw new RangeError('The result is too large to be followed here.');
    const [first = '', ...others] = part.split('\n');
    this.#line += first;
    for (const next of others) {
      const event = this.#take(this.#line.replace(/\r$/, ''));
      this.#line = next;
      if (event !== undefined) yield event;
    }
  }

  /** @returns an event that ends with this line */
  #take(line: string): StreamEvent | undefined {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
    else if (field === 'retry' && /^\d{1,7}$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #end(): StreamEvent | undefined {
    const event = { type: this.#type || 'message', id: this.#id, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#type = '';
    this.#id = undefined;
    this.#data = [];
    this.#length = 0;
    return isEmpty ? undefined : event;
  }
}

/** A payload of incremental delivery. */
export interface Payload {
  readonly data?: Record<string, unknown>;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: unknown;
    readonly extensions?: unknown;
  }[];
  readonly pending?: readonly { readonly id: string; readonly path: unknown; readonly label?: string }[];
  readonly incremental?: readonly (Payload & {
    readonly id?: string;
    readonly path?: unknown;
    readonly label?: string;
  })[];
  readonly completed?: readonly (Pick<Payload, 'errors'> & { readonly id: string })[];
  readonly hasNext: boolean;
}

/** The parts of a `multipart/mixed` response, each as soon as its boundary has arrived. */
export async function* readParts(response: Response): AsyncGenerator<Payload> {
  const { body } = response;
  if (body === null) return;
  let text = '\r\n';
  for await (const bytes of body.pipeThrough(
    new TextDecoderStream() as never,
  ) as unknown as AsyncIterable<string>) {
    text += bytes;
    const parts = text.split('\r\n---');
    text = parts.pop() ?? '';
    for (const part of parts) {
      if (part !== '') yield JSON.parse(part.slice(part.indexOf('\r\n\r\n'))) as Payload;
    }
  }
  if (text !== '--\r\n') throw new Error(`the body ends with ${JSON.stringify(text.slice(0, 100))}`);
}

/** The answer that a client has in the end; errors in no particular order. */
export function mergeParts(payloads: readonly Payload[]): {
  data: Record<string, unknown>;
  errors: unknown[];
} {
  const data: Record<string, unknown> = {};
  const errors: unknown[] = [];
  for (const { data: some, errors: of, incremental = [], completed = [] } of payloads) {
    Object.assign(data, some);
    errors.push(...(of ?? []), ...completed.flatMap((one) => one.errors ?? []));
    for (const one of incremental) {
      Object.assign(data, one.data);
      errors.push(...(one.errors ?? []));
    }
  }
  return { data, errors };
}

import { createServer } from 'node:http';
import { listen } from './listen.ts';

/** One span as it was exported. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

type Values = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

const record = (attributes: Values = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** An OTLP collector: it takes traces as JSON, and knows of others only that they came. */
export async function startTraceCollector() {
  const spans: CollectedSpan[] = [];
  const contentTypes: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      contentTypes.push(request.headers['content-type']);
      if (request.headers['content-type'] === 'application/json') {
        for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
          for (const span of scopeSpans.flatMap(({ spans }: { spans: unknown[] }) => spans)) {
            spans.push({
              ...span,
              attributes: record(span.attributes),
              resource: record(resource.attributes),
            });
          }
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    contentTypes,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

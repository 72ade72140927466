import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import { packageVersion } from '../version.ts';
import type { Attributes, Span, Tracer } from './span.ts';

/** How long a shutdown waits for the collector. */
const closeTimeoutMs = 2_000;

/**
 * Makes spans of OpenTelemetry and exports them. This module and its libraries are imported only if traces are configured:
 * they would slow down every start.
 */
export function buildTracer(exporter: SpanExporter, log: Logger): Tracer {
  const resource = resourceFromAttributes({
    'service.name': 'querygate',
    'service.version': packageVersion(),
  });
  const provider = new BasicTracerProvider({
    resource: resource.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportingExporter(exporter, log))],
  });
  const tracer = provider.getTracer('querygate');
  const propagator = new W3CTraceContextPropagator();

  const open = (name: string, context: Context, kind: SpanKind, attributes: Attributes = {}): Span => {
    const span = tracer.startSpan(name, { kind, attributes: defined(attributes) }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const below = trace.setSpan(context, span);
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      start: (childName, childAttributes, childKind) =>
        open(childName, below, childKind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, childAttributes),
      rename: (newName) => void span.updateName(newName),
      set: (more) => void span.setAttributes(defined(more)),
      end(error) {
        if (error !== undefined) recordError(span, error);
        span.end();
      },
    };
  };
  return {
    startRequest(name, headers, attributes) {
      const caller = propagator.extract(ROOT_CONTEXT, headers, getter);
      return open(name, caller, SpanKind.SERVER, attributes);
    },
    async close() {
      const timeout = new Promise((resolve) => setTimeout(resolve, closeTimeoutMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
    },
  };
}

/** The library drops spans without a word: the log says once that they are lost, and once that they are exported again. */
function reportingExporter(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        if (hasFailed && !isFailing) {
          log.warn(
            { reason: reasonOf(result.error) },
            'traces cannot be exported; they are dropped meanwhile',
          );
        } else if (!hasFailed && isFailing) {
          log.info('traces are exported again');
        }
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** A code of the network, or a status of HTTP: the collector's own text is not repeated. */
function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? 'unknown');
}

type Headers = Readonly<Record<string, string | undefined>>;

const getter = {
  get: (headers: Headers, name: string) => headers[name],
  keys: (headers: Headers) => Object.keys(headers),
};

function defined(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Only the code: messages of an engine may quote SQL and values. */
function recordError(span: OtelSpan, error: unknown): void {
  const code = error instanceof GatewayError ? error.code : 'INTERNAL';
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

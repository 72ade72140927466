import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { StartError } from '../errors.ts';
import { importOptional } from '../optional-packages.ts';
import type { Tracer } from './span.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Exporter {
  readonly name: string;
  load(): Promise<{ readonly OTLPTraceExporter: new () => SpanExporter }>;
}

/** By protocol. Each has its own encoding, and only the one that is used is imported. */
const exporters = new Map<string, Exporter>([
  [
    'http/protobuf',
    {
      name: '@opentelemetry/exporter-trace-otlp-proto',
      load: () => import('@opentelemetry/exporter-trace-otlp-proto'),
    },
  ],
  [
    'http/json',
    {
      name: '@opentelemetry/exporter-trace-otlp-http',
      load: () => import('@opentelemetry/exporter-trace-otlp-http'),
    },
  ],
]);

/** The packages that `otel-tracer.ts` imports. */
const packages = ['api', 'core', 'resources', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`);

/**
 * Exports traces by OTLP, as the variables of OpenTelemetry say.
 *
 * @throws StartError if its packages are not installed, the protocol is not supported, or the collector's address is not a
 * URL
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function openTracer(env: Environment, log: Logger): Promise<Tracer> {
  const exporter = exporterOf(env);
  requireUrls(env);
  const { OTEL_TRACES_EXPORTER: named = '' } = env;
  if (!/^\s*(?:otlp\s*)?$/i.test(named))
    log.warn(
      `OTEL_TRACES_EXPORTER: got ${JSON.stringify(named)}; traces are exported by OTLP, or not with none`,
    );
  const use = 'Exporting traces, which a variable OTEL_… turns on and OTEL_SDK_DISABLED=true turns off,';
  return importOptional([...packages, exporter.name], use, async () => {
    const { buildTracer } = await import('./otel-tracer.ts');
    const { OTLPTraceExporter } = await exporter.load();
    return buildTracer(new OTLPTraceExporter(), log);
  });
}

function exporterOf(env: Environment): Exporter {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env[name] || 'http/protobuf';
  const exporter = exporters.get(protocol);
  if (exporter !== undefined) return exporter;
  const right = [...exporters.keys()].join(', ');
  throw badVariable(name, `got ${JSON.stringify(protocol)}; must be one of ${right}`);
}

/** The library would export to this machine instead. */
function requireUrls(env: Environment): void {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    if (!env[name] || /^https?:$/.test(URL.parse(env[name])?.protocol ?? '')) continue;
    // The value is not shown: it may contain a password.
    throw badVariable(name, 'must be the URL of a collector, as in http://collector:4318');
  }
}

const badVariable = (name: string, problem: string) =>
  new StartError('The configuration has problems', [{ message: `${name}: ${problem}` }]);

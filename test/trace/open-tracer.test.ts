import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openTracer } from '../../src/trace/open-tracer.ts';

const lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push(line) });

test.each(['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])(
  'a wrong protocol is that of the variable which was read: %s',
  async (name) => {
    await expect(openTracer({ [name]: 'grpc' }, log)).rejects.toThrow(
      `  ${name}: got "grpc"; must be one of`,
    );
  },
);

test.each(['console', 'otlp,console', 'otlp', ' OTLP ', ''])('OTEL_TRACES_EXPORTER=%s', async (named) => {
  lines.length = 0;
  const tracer = await openTracer({ OTEL_TRACES_EXPORTER: named }, log);
  await tracer.close();
  const warning = `OTEL_TRACES_EXPORTER: got "${named}"; traces are exported by OTLP, or not with none`;
  const hasOther = named.includes('console');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(hasOther ? [warning] : []);
});

import type { MetricFamily } from '../../gateway/plugin.ts';
import { packageVersion } from '../../version.ts';

/** Which build runs, as the labels of a metric whose value is always 1. */
export const buildInfo = (engine: string): MetricFamily => ({
  name: 'querygate_build_info',
  help: 'The version of the gateway and of Node, and the engine; always 1.',
  type: 'gauge',
  samples: () => [{ labels: { version: packageVersion(), node: process.versions.node, engine }, value: 1 }],
});

import { packageVersion } from '../version.ts';
import type { MetricFamily } from './metric-family.ts';

/** Which build runs, as the labels of a metric whose value is always 1. */
export function buildInfo({ engine }: { readonly engine: string }): {
  readonly families: readonly MetricFamily[];
} {
  const labels = { version: packageVersion(), node: process.versions.node, engine };
  const help = 'The version of the gateway and of Node, and the engine; always 1.';
  return {
    families: [{ name: 'querygate_build_info', help, type: 'gauge', samples: () => [{ labels, value: 1 }] }],
  };
}

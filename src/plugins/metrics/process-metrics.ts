import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { MetricFamily } from '../../gateway/plugin.ts';
import { Histograms } from './histogram.ts';
import { plainFamily } from './metric-family.ts';

/** How often the delay of the event loop is measured: an idle process wakes up for it. */
const delayResolutionMs = 100;

/** At least as long as scrapes are apart. */
const delayWindowMs = 60_000;

const gcKinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

const gcBounds = [0.001, 0.01, 0.1, 1, 2, 5];

let known: readonly MetricFamily[] | undefined;

/** The usual metrics of a Node process, under their usual names; once for all gateways in it. */
export function processMetrics(): readonly MetricFamily[] {
  known ??= [...ofProcess(), ...ofLoop(), ...ofHeap(), garbageCollection(), version];
  return known;
}

const gauge = (name: string, help: string, value: () => number | undefined) =>
  plainFamily('gauge', name, help, value);

function ofProcess(): readonly MetricFamily[] {
  const cpu = (name: string, help: string, micros: (usage: NodeJS.CpuUsage) => number) =>
    plainFamily('counter', name, help, () => micros(process.cpuUsage()) / 1e6);
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return [
    cpu('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', ({ user }) => user),
    cpu(
      'process_cpu_system_seconds_total',
      'Total system CPU time spent in seconds.',
      ({ system }) => system,
    ),
    cpu(
      'process_cpu_seconds_total',
      'Total user and system CPU time spent in seconds.',
      ({ user, system }) => user + system,
    ),
    gauge(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      () => startedAt,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss()),
    gauge('process_virtual_memory_bytes', 'Virtual memory size in bytes.', () => kilobytes('VmSize')),
    gauge('process_heap_bytes', 'Process heap size in bytes.', () => kilobytes('VmData')),
    gauge('process_open_fds', 'Number of open file descriptors.', () =>
      onLinux(() => readdirSync('/proc/self/fd').length - 1),
    ),
    gauge('process_max_fds', 'Maximum number of open file descriptors.', () =>
      onLinux(() => numberIn('/proc/self/limits', /^Max open files\s+(\d+)/m)),
    ),
  ];
}

/** Of the process, as Linux reports it in units of 1,024 bytes. */
const kilobytes = (name: string) =>
  onLinux(() => {
    const amount = numberIn('/proc/self/status', new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'));
    return amount === undefined ? undefined : amount * 1024;
  });

function onLinux(read: () => number | undefined): number | undefined {
  try {
    return process.platform === 'linux' ? read() : undefined;
  } catch {
    return undefined;
  }
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  const [, digits] = pattern.exec(readFileSync(file, 'utf8')) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Of the last minute or two, however often they are scraped: a delay is in each scrape of the minute after it. */
function ofLoop(): readonly MetricFamily[] {
  const monitor = () => monitorEventLoopDelay({ resolution: delayResolutionMs });
  let [delays, next] = [monitor(), monitor()];
  for (const one of [delays, next]) one.enable();
  setInterval(() => {
    [delays, next] = [next, delays];
    next.reset();
  }, delayWindowMs).unref();
  let lag: number | undefined;
  const measure = () => {
    const startedAt = performance.now();
    setImmediate(() => {
      lag = (performance.now() - startedAt) / 1000;
    });
  };
  measure();
  const recorded = (name: string, help: string, nanoseconds: () => number) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, help, () =>
      delays.count === 0 ? undefined : nanoseconds() / 1e9,
    );
  const percentile = (percent: number) =>
    recorded(`p${percent}`, `The ${percent}th percentile of the recorded event loop delays.`, () =>
      delays.percentile(percent),
    );
  return [
    gauge('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', () => {
      measure();
      return lag;
    }),
    recorded('min', 'The minimum recorded event loop delay.', () => delays.min),
    recorded('max', 'The maximum recorded event loop delay.', () => delays.max),
    recorded('mean', 'The mean of the recorded event loop delays.', () => delays.mean),
    recorded('stddev', 'The standard deviation of the recorded event loop delays.', () => delays.stddev),
    ...[50, 90, 99].map(percentile),
  ];
}

function ofHeap(): readonly MetricFamily[] {
  const ofSpaces = (
    what: 'total' | 'used' | 'available',
    bytes: (space: HeapSpace) => number,
  ): MetricFamily => ({
    name: `nodejs_heap_space_size_${what}_bytes`,
    help: `Process heap space size ${what} from Node.js in bytes.`,
    type: 'gauge',
    samples: () =>
      getHeapSpaceStatistics().map((space) => ({
        labels: { space: space.space_name.replace(/_space$/, '') },
        value: bytes(space),
      })),
  });
  return [
    gauge(
      'nodejs_heap_size_total_bytes',
      'Process heap size from Node.js in bytes.',
      () => process.memoryUsage().heapTotal,
    ),
    gauge(
      'nodejs_heap_size_used_bytes',
      'Process heap size used from Node.js in bytes.',
      () => process.memoryUsage().heapUsed,
    ),
    gauge(
      'nodejs_external_memory_bytes',
      'Node.js external memory size in bytes.',
      () => process.memoryUsage().external,
    ),
    ofSpaces('total', ({ space_size }) => space_size),
    ofSpaces('used', ({ space_used_size }) => space_used_size),
    ofSpaces('available', ({ space_available_size }) => space_available_size),
    {
      name: 'nodejs_active_resources',
      help: 'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      type: 'gauge',
      samples: () =>
        [...Map.groupBy(process.getActiveResourcesInfo(), (type) => type)].map(([type, { length }]) => ({
          labels: { type },
          value: length,
        })),
    },
  ];
}

type HeapSpace = ReturnType<typeof getHeapSpaceStatistics>[number];

function garbageCollection(): MetricFamily {
  const durations = new Histograms('kind', gcBounds);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
      durations.of(gcKinds.get(detail.kind) ?? 'other').observe(duration / 1000);
    }
  }).observe({ entryTypes: ['gc'] });
  return durations.family(
    'nodejs_gc_duration_seconds',
    'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
  );
}

const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.');

const version: MetricFamily = {
  name: 'nodejs_version_info',
  help: 'Node.js version info.',
  type: 'gauge',
  samples: () => [{ labels: { version: process.version, major, minor, patch }, value: 1 }],
};

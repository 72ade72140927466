import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { MetricFamily } from '../../gateway/plugin.ts';
import { Histograms } from './histogram.ts';
import { plainFamily } from './metric-family.ts';

/** How often the delay of the event loop is measured: an idle process wakes up for it. */
const delayResolutionMs = 100;

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

/** Since the last scrape. */
function ofLoop(): readonly MetricFamily[] {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delays.enable();
  let lag: number | undefined;
  const measure = () => {
    const startedAt = performance.now();
    setImmediate(() => {
      lag = (performance.now() - startedAt) / 1000;
    });
  };
  measure();
  const seconds = (nanoseconds: number) => nanoseconds / 1e9;
  const percentile = (percent: number, isLast = false) =>
    gauge(
      `nodejs_eventloop_lag_p${percent}_seconds`,
      `The ${percent}th percentile of the recorded event loop delays.`,
      () => {
        const value = seconds(delays.percentile(percent));
        if (isLast) delays.reset();
        return value;
      },
    );
  return [
    gauge('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', () => {
      measure();
      return lag;
    }),
    gauge('nodejs_eventloop_lag_min_seconds', 'The minimum recorded event loop delay.', () =>
      seconds(delays.min),
    ),
    gauge('nodejs_eventloop_lag_max_seconds', 'The maximum recorded event loop delay.', () =>
      seconds(delays.max),
    ),
    gauge('nodejs_eventloop_lag_mean_seconds', 'The mean of the recorded event loop delays.', () =>
      seconds(delays.mean),
    ),
    gauge(
      'nodejs_eventloop_lag_stddev_seconds',
      'The standard deviation of the recorded event loop delays.',
      () => seconds(delays.stddev),
    ),
    percentile(50),
    percentile(90),
    percentile(99, true),
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

import { readFileSync } from 'node:fs';
import type { GatewayProcess } from '../../test/support/gateway-process.ts';

/** The memory that a process occupies now, in megabytes (Linux). */
export function residentMb({ child }: GatewayProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(?<kb>\d+) kB/m.exec(status)?.groups?.kb) * (1_024 / 1e6);
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { settingNames } from '../../src/config/settings.ts';
import { livePath, readinessPath } from '../../src/http/message/paths.ts';
import { hasProgram } from '../support/has-program.ts';

/** Seconds: requests in flight may take ten, closing two. */
const timeToEnd = 12;

const read = (file: string) => readFileSync(file, 'utf8');

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml'), { merge: true });

  test('has the gateway with Redis, and beside it one with the emulator', () => {
    expect(Object.keys(services)).toEqual(['querygate', 'redis', 'querygate-bigquery', 'bigquery-emulator']);
    for (const name of ['querygate-bigquery', 'bigquery-emulator'])
      expect(services[name].profiles).toEqual(['bigquery']);
    for (const name of ['querygate', 'querygate-bigquery']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], build: '.' });
    }
  });

  test.each(['querygate', 'querygate-bigquery'])('%s has valid settings', (name) => {
    const { environment } = services[name];
    expect(Object.keys(environment).filter((key) => !settingNames.includes(key as never))).toEqual([]);
    const values = Object.entries<string>(environment).map(([key, value]) => [
      key,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1').replace(/^\$\{\w+:\?.*\}$/, 'a-text-that-must-be-set'),
    ]);
    expect(() => readConfig(Object.fromEntries(values))).not.toThrow();
  });
});

describe('the Kubernetes manifests', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/querygate.yaml')).map((document) =>
    document.toJS(),
  );
  const byKind = new Map(documents.map((document) => [document.kind, document]));
  const { spec } = byKind.get('Deployment').spec.template;
  const [container] = spec.containers;
  const env: readonly { readonly name: string; readonly value?: string }[] = container.env;
  const delay = Number(env.find(({ name }) => name === 'SHUTDOWN_DELAY_SECONDS')?.value);

  test('are a deployment with its service, account, disruption budget and network policy, with the same labels', () => {
    expect([...byKind.keys()]).toEqual([
      'ServiceAccount',
      'Service',
      'Deployment',
      'PodDisruptionBudget',
      'NetworkPolicy',
    ]);
    const labels = { app: 'querygate' };
    expect(byKind.get('Service').spec.selector).toEqual(labels);
    expect(byKind.get('Deployment').spec.selector.matchLabels).toEqual(labels);
    expect(byKind.get('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(byKind.get('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    for (const { labelSelector } of spec.topologySpreadConstraints)
      expect(labelSelector.matchLabels).toEqual(labels);
  });

  test('probe paths that exist, on a port that the image exposes', () => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      livePath,
      livePath,
      readinessPath,
    ]);
    const exposed = /^EXPOSE (.*)$/m.exec(read('Dockerfile'))?.[1]?.split(' ').map(Number);
    expect(ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual(exposed);
  });

  test('have limits, a read-only root and no rights; the pod has time to end', () => {
    expect(container.resources).toMatchObject({ limits: { memory: '1Gi' }, requests: { cpu: '250m' } });
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    expect(spec.securityContext.runAsNonRoot).toBe(true);
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  test('let a gateway serve until its readiness probe has failed, and end before it is killed', () => {
    const { periodSeconds, failureThreshold = 3, timeoutSeconds = 1 } = container.readinessProbe;
    expect(delay).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds);
    // The time of the hook counts too.
    const { sleep } = container.lifecycle.preStop;
    expect(sleep.seconds).toBeGreaterThan(0);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(sleep.seconds + delay + timeToEnd);
  });

  test('have valid settings', () => {
    expect(env.map(({ name }) => name).filter((name) => !settingNames.includes(name as never))).toEqual([]);
    const values = Object.fromEntries(
      env.map(({ name, value = 'a-secret-of-the-cluster-long-enough' }) => [name, value]),
    );
    expect(readConfig(values)).toMatchObject({ engine: 'bigquery', metricsPort: 9464 });
  });
});

describe('the service of Cloud Run', () => {
  const { template } = parse(read('deploy/cloud-run/service.yaml')).spec;
  const [container] = template.spec.containers;

  test('has valid settings, and probes paths that exist on the port of the image', () => {
    const env: readonly { readonly name: string; readonly value?: string }[] = container.env;
    const values = Object.fromEntries(
      env.map(({ name, value = 'a-secret-of-the-project-long-enough' }) => [name, value]),
    );
    expect(Object.keys(values).filter((name) => !settingNames.includes(name as never))).toEqual([]);
    expect(readConfig(values)).toMatchObject({
      engine: 'bigquery',
      logFormat: 'gcp',
      shutdownDelaySeconds: 0,
    });
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe.httpGet).toEqual({ path: livePath, port: 4000 });
    expect(container.ports[0].containerPort).toBe(4000);
  });

  test('keeps an instance with its CPU: results are refreshed between requests', () => {
    expect(template.metadata.annotations).toMatchObject({
      'autoscaling.knative.dev/minScale': '1',
      'run.googleapis.com/cpu-throttling': 'false',
    });
  });
});

const hasSystemd = hasProgram('systemd-analyze');

test.skipIf(!hasSystemd)('systemd-analyze security finds the exposure of the unit to be OK', () => {
  const { stdout } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--no-pager', 'deploy/systemd/querygate.service'],
    { encoding: 'utf8' },
  );
  expect(stdout).toMatch(/Overall exposure level for querygate\.service: [12]\.\d OK/);
});

test.each([
  ['compose.yaml', /^ +stop_grace_period: (\d+)s$/m, /^ +SHUTDOWN_DELAY_SECONDS: "(\d+)"$/m],
  [
    'deploy/systemd/querygate.service',
    /^TimeoutStopSec=(\d+)$/m,
    /^Environment=SHUTDOWN_DELAY_SECONDS=(\d+)$/m,
  ],
])('%s leaves a gateway the time to end', (file, ofGrace, ofDelay) => {
  const { shutdownDelaySeconds } = readConfig({
    NODE_ENV: 'production',
    SHUTDOWN_DELAY_SECONDS: ofDelay.exec(read(file))?.[1],
  });
  expect(Number(ofGrace.exec(read(file))?.[1])).toBeGreaterThan(shutdownDelaySeconds + timeToEnd);
});

test.skipIf(!hasSystemd)('systemd accepts the unit', () => {
  const { stderr } = spawnSync('systemd-analyze', ['verify', './deploy/systemd/querygate.service'], {
    encoding: 'utf8',
  });
  expect(stderr.split('\n').filter((line) => line.includes('querygate.service'))).toEqual([]);
});

import { isDeepStrictEqual } from 'node:util';
import type { PrometheusText, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';

/** Changes of how many rows a result has, how long it is cached, who may read it, and of the other keys of the header. */
export function comparePolicy(pair: Pair): readonly Change[] {
  const { before, after } = pair;
  const changes: Change[] = [...compareTenants(pair), ...compareCaching(pair)];
  if (before.maxRows !== after.maxRows) {
    const kind = after.maxRows < before.maxRows ? 'max-rows-lowered' : 'max-rows-raised';
    changes.push(change(kind, ['max_rows'], `max_rows ${fromTo(before.maxRows, after.maxRows)}`));
  }
  const labels = matchBy(before.labels, after.labels, (label) => label);
  for (const label of labels.removed)
    changes.push(removal('label-removed', ['labels'], `label ${label} removed`));
  for (const label of labels.added) changes.push(change('label-added', ['labels'], `label ${label} added`));
  if (before.querySandboxing !== after.querySandboxing) {
    const kind = after.querySandboxing === 'enabled' ? 'sandboxing-enabled' : 'sandboxing-disabled';
    changes.push(
      change(
        kind,
        ['query_sandboxing'],
        `query_sandboxing ${fromTo(before.querySandboxing, after.querySandboxing)}`,
      ),
    );
  }
  for (const [key, kind] of [
    ['deprecated', 'deprecation'],
    ['shadow', 'shadow'],
  ] as const) {
    const [old, now] = [before[key], after[key]];
    if (isDeepStrictEqual(old, now)) continue;
    const what = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    changes.push((now === undefined ? removal : change)(kind, [key], `${key} ${what}`));
  }
  if (before.description !== after.description)
    changes.push(change('description', ['description'], 'description changed'));
  return [...changes, ...comparePrometheus(before.prometheus, after.prometheus)];
}

function compareTenants({ before, after }: Pair): readonly Change[] {
  const changes: Change[] = [];
  const old = before.tenant;
  const now = after.tenant;
  const pathOf = (tenant: SavedQuery['tenant'], key: string) => ['parameters', tenant?.parameter ?? '', key];
  if (old === undefined && now !== undefined)
    changes.push(
      change('tenant-added', pathOf(now, 'tenant'), `parameter ${now.parameter} is the tenant now`),
    );
  else if (old !== undefined && now === undefined)
    changes.push(
      removal('tenant-removed', pathOf(old, 'tenant'), `parameter ${old.parameter} is no longer the tenant`),
    );
  else if (old?.parameter !== now?.parameter)
    changes.push(
      change('tenant-moved', pathOf(now, 'tenant'), `tenant ${fromTo(old?.parameter, now?.parameter)}`),
    );
  else if (old?.pattern !== now?.pattern)
    changes.push(
      change(
        'tenant-pattern',
        pathOf(now, 'tenant_pattern'),
        `tenant_pattern ${fromTo(old?.pattern, now?.pattern)}`,
      ),
    );
  if (before.tenantUnchecked === after.tenantUnchecked) return changes;
  const path = ['tenant_unchecked'];
  if (after.tenantUnchecked === undefined)
    changes.push(removal('tenant-checked', path, 'tenant_unchecked removed'));
  else if (before.tenantUnchecked === undefined)
    changes.push(change('tenant-unchecked', path, 'tenant_unchecked added'));
  else changes.push(change('description', path, 'reason of tenant_unchecked changed'));
  return changes;
}

function compareCaching({ before, after }: Pair): readonly Change[] {
  const changes: Change[] = [];
  const old = before.caching === 'disabled' ? undefined : before.caching;
  const now = after.caching === 'disabled' ? undefined : after.caching;
  if (old?.ttlSeconds !== now?.ttlSeconds) {
    const isLonger = (now?.ttlSeconds ?? 0) > (old?.ttlSeconds ?? 0);
    const text = `caching ${fromTo(seconds(old?.ttlSeconds), seconds(now?.ttlSeconds))}`;
    changes.push(change(isLonger ? 'caching-longer' : 'caching-shorter', ['caching'], text));
  }
  if (old?.warmingSeconds !== now?.warmingSeconds) {
    const text = `cache_warming ${fromTo(seconds(old?.warmingSeconds), seconds(now?.warmingSeconds))}`;
    changes.push(change('cache-warming', ['cache_warming'], text));
  }
  if (JSON.stringify(before.warm) !== JSON.stringify(after.warm))
    changes.push(change('cache-warming', ['warm'], 'warm changed'));
  if (old === undefined || now === undefined || old.staleIfErrorSeconds === now.staleIfErrorSeconds)
    return changes;
  // By default it follows the time of caching.
  const follows = old.staleIfErrorSeconds === old.ttlSeconds && now.staleIfErrorSeconds === now.ttlSeconds;
  if (follows) return changes;
  const kind = now.staleIfErrorSeconds < old.staleIfErrorSeconds ? 'stale-shorter' : 'stale-longer';
  const text = `stale_if_error ${fromTo(seconds(old.staleIfErrorSeconds), seconds(now.staleIfErrorSeconds))}`;
  return [...changes, change(kind, ['stale_if_error'], text)];
}

const seconds = (count: number | undefined) => (count === undefined ? 'disabled' : `${count}s`);

function comparePrometheus(
  before: PrometheusText | undefined,
  after: PrometheusText | undefined,
): readonly Change[] {
  const { both, removed, added } = matchBy(before?.metrics ?? [], after?.metrics ?? [], ({ name }) => name);
  const pathOf = (name: string) => ['prometheus', 'metrics', name];
  const changes: Change[] = [
    ...removed.map(({ name }) => removal('metric-removed', pathOf(name), `metric ${name} removed`)),
    ...added.map(({ name }) => change('metric-added', pathOf(name), `metric ${name} added`)),
  ];
  for (const [old, now] of both) {
    if (old.column !== now.column)
      changes.push(
        change(
          'metric-changed',
          [...pathOf(now.name), 'column'],
          `metric ${now.name}: column ${fromTo(old.column, now.column)}`,
        ),
      );
    if (old.help !== now.help)
      changes.push(change('description', pathOf(now.name), `metric ${now.name}: help changed`));
  }
  const [oldLabels, labels] = [before?.labels, after?.labels].map((list) =>
    JSON.stringify([...(list ?? [])].sort()),
  );
  if (both.length > 0 && oldLabels !== labels)
    changes.push(
      change(
        'metric-changed',
        ['prometheus', 'labels'],
        `labels of metrics ${fromTo(before?.labels, after?.labels)}`,
      ),
    );
  return changes;
}

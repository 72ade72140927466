import { createRequire } from 'node:module';
import { hostFunction } from './host-function.ts';

let library: typeof import('tldts') | undefined;

/** It is loaded by the first call: its list takes some 7 MB in each process. */
const load = () => (library ??= createRequire(import.meta.url)('tldts') as typeof import('tldts'));

/** The host's public suffix as the host writes it; null if the public suffix list has none. */
function publicSuffix(host: string): string | null {
  const { publicSuffix, isIcann } = parsed(host);
  if (publicSuffix === null || !isIcann) return null;
  return lastLabels(host, labelsOf(publicSuffix));
}

/** The public suffix and one label before it, which is not empty. */
function registeredDomain(host: string): string | null {
  const { publicSuffix, domain, isIcann } = parsed(host);
  if (publicSuffix === null || domain === null || !isIcann) return null;
  const registered = lastLabels(host, labelsOf(publicSuffix) + 1);
  return registered.startsWith('.') ? null : registered;
}

const parsed = (host: string) =>
  load().parse(host.toLowerCase().replace(/\.$/, ''), { extractHostname: false, allowPrivateDomains: false });

const labelsOf = (name: string) => name.split('.').length;

const lastLabels = (host: string, count: number): string =>
  host.replace(/\.$/, '').split('.').slice(-count).join('.');

/** From the public suffix list, in the version that tldts carries. */
export const domainFunctions = [
  hostFunction('host_public_suffix', ['VARCHAR'], 'VARCHAR', publicSuffix),
  hostFunction('host_reg_domain', ['VARCHAR'], 'VARCHAR', registeredDomain),
];

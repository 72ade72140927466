import { parse } from 'tldts';
import { hostFunction } from './host-function.ts';

/** The host's public suffix as the host writes it; null if the public suffix list has none. */
function publicSuffix(host: string): string | null {
  const { publicSuffix, isIcann } = parsed(host);
  if (publicSuffix === null || !isIcann) return null;
  return lastLabels(host, labelsOf(publicSuffix));
}

/** The public suffix and one label before it. */
function registeredDomain(host: string): string | null {
  const { publicSuffix, domain, isIcann } = parsed(host);
  if (publicSuffix === null || domain === null || !isIcann) return null;
  return lastLabels(host, labelsOf(publicSuffix) + 1);
}

const parsed = (host: string) =>
  parse(host.toLowerCase().replace(/\.$/, ''), { extractHostname: false, allowPrivateDomains: false });

const labelsOf = (name: string) => name.split('.').length;

const lastLabels = (host: string, count: number): string =>
  host.replace(/\.$/, '').split('.').slice(-count).join('.');

/** From the public suffix list, in the version that tldts carries. */
export const domainFunctions = [
  hostFunction('host_public_suffix', ['VARCHAR'], 'VARCHAR', publicSuffix),
  hostFunction('host_reg_domain', ['VARCHAR'], 'VARCHAR', registeredDomain),
];

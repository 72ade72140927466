interface SharedCacheConfig {
  readonly url: string;
  readonly secret: string | undefined;
}

/** Why the results in a Redis are less safe than those in memory: one sentence per reason, for the log at start. */
export function describeExposure({ url, secret }: SharedCacheConfig): readonly string[] {
  const { protocol, hostname, password } = new URL(url);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const missing = [password === '' && 'no password', protocol === 'redis:' && 'no TLS'].filter(Boolean);
  return [
    ...(secret === undefined
      ? [
          'redis.secret is not set: every client that can write to the Redis of redis.url decides what callers read; set the same secret for all gateways',
        ]
      : []),
    ...(isLocal || missing.length === 0
      ? []
      : [
          `redis.url has ${missing.join(' and ')}: results can be read on the network, and may be replaced by old ones`,
        ]),
  ];
}

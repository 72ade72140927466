export interface SecretRule {
  is(text: string): boolean;
  readonly must: string;
}

/** Texts that are not shown in messages: they are secrets, or may contain one. */
export const secretRules = {
  /** The characters that an HTTP header can carry. */
  apiKey: {
    is: (text) => typeof text === 'string' && /^[\x21-\x7e]{1,256}$/.test(text),
    must: 'must be up to 256 printable ASCII characters without spaces',
  },
  redisUrl: {
    is: isRedisUrl,
    must: 'must be the URL of a Redis, as in redis://127.0.0.1:6379 or rediss://user:password@host:6380/1, without ? and #; a % in the password is %25',
  },
  quackToken: {
    is: (text) => /^[\x21-\x7e]{4,1024}$/.test(text),
    must: 'must be 4 to 1024 printable ASCII characters without spaces',
  },
  redisSecret: {
    is: (text) => /^[\x21-\x7e]{32,256}$/.test(text),
    must: 'must be 32 to 256 printable ASCII characters without spaces',
  },
} as const satisfies Readonly<Record<string, SecretRule>>;

/** Anything else the client refuses with a stack trace, or ignores. */
function isRedisUrl(text: string): boolean {
  try {
    const { hash, hostname, password, pathname, port, search, username } = new URL(text);
    decodeURIComponent(`${username}:${password}`);
    // Without a host the client takes this machine, and its usual port for 0.
    const hasHost = hostname !== '' && port !== '0';
    return hasHost && /^rediss?:\/\//i.test(text) && /^\/?\d*$/.test(pathname) && search + hash === '';
  } catch {
    return false;
  }
}

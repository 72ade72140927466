import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { hasProgram } from './has-program.ts';
import { listen } from './listen.ts';

/** True where tests of TLS are left out: on a laptop without OpenSSL, never in CI. */
export const isWithoutOpenssl = !hasProgram('openssl', 'version');

/** Ends TLS before a port of this machine, with a certificate of `localhost` that it has signed itself. */
export async function openTlsForwarder(to: number) {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-tls-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
  execFileSync('openssl', ['req', ...made.split(' '), '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
    const target = connect(to, '127.0.0.1');
    client.pipe(target).pipe(client);
    const end = () => {
      client.destroy();
      target.destroy();
    };
    client.on('error', end);
    target.on('error', end);
  });
  return {
    port: await listen(server),
    certificate,
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

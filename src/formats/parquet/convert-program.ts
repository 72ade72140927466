import module from 'node:module';
import type { Conversion } from './convert-file.ts';

// The process in which DuckDB writes one file. Only modules that are imported after this call are loaded from the cache.
module.enableCompileCache();
const [{ rmSync }, { connectToParent, onOrphaned }, { convertFile, fromProgram }] = await Promise.all([
  import('node:fs'),
  import('../../process/connect-to-parent.ts'),
  import('./convert-file.ts'),
]);
const channel = connectToParent(({ id, payload }) => {
  const conversion: Conversion = JSON.parse(payload.toString());
  // Rows of tenants are in it.
  onOrphaned(() => rmSync(conversion.folder, { recursive: true, force: true }));
  convertFile(conversion).then(
    () => {
      // It is killed, and would otherwise write the cache when it ends.
      module.flushCompileCache();
      channel.send(fromProgram.done, id);
    },
    (error: Error) => channel.send(fromProgram.failed, id, Buffer.from(error.message)),
  );
});

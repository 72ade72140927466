import module from 'node:module';

// The process in which DuckDB writes one file. Only modules that are imported after this call are loaded from the cache.
module.enableCompileCache();
const [{ connectToParent }, { convertFile, fromProgram }] = await Promise.all([
  import('../../process/connect-to-parent.ts'),
  import('./convert-file.ts'),
]);
const channel = connectToParent(({ id, payload }) => {
  convertFile(JSON.parse(payload.toString())).then(
    () => {
      // It is killed, and would otherwise write the cache when it ends.
      module.flushCompileCache();
      channel.send(fromProgram.done, id);
    },
    (error: Error) => channel.send(fromProgram.failed, id, Buffer.from(error.message)),
  );
});

import { openWithExtensions } from './lake.ts';

// Has a lake open, and runs the statements that it gets.
const { instance, connection } = await openWithExtensions('ducklake');
await connection.run(`ATTACH '${process.argv[2]}' AS w`);
process.on('message', async (sql: string) => {
  if (sql === 'end') {
    await connection.run('DETACH w');
    connection.closeSync();
    instance.closeSync();
    process.exit();
  }
  await connection.run(sql).then(
    () => process.send?.('done'),
    (error: Error) => process.send?.(error.message),
  );
});

#!/usr/bin/env node
import module from 'node:module';

const requiredNode = 24;

if (Number.parseInt(process.versions.node, 10) < requiredNode) {
  process.stderr.write(`querygate needs Node ${requiredNode} or newer; this is ${process.versions.node}\n`);
  process.exit(2);
}
// Compiled code is kept in the system's folder of temporary files: later starts take less time. Only modules that are
// imported after this call take part. The default import exists in old versions of Node too. Deno has no such cache.
module.enableCompileCache?.();
const { runProgram } = await import('./cli/program.ts');
await runProgram(process.argv.slice(2));

const requiredNode = 24;

/**
 * Ends the command in an old version of Node, whose own message would be a stack trace.
 *
 * The command imports this file before all others, because those call functions of newer versions (`Map.groupBy`) as soon as
 * they are evaluated.
 */
function checkNode(): void {
  if (Number.parseInt(process.versions.node, 10) >= requiredNode) return;
  process.stderr.write(
    `bigquery-sql needs Node ${requiredNode} or newer; this is ${process.versions.node}\n`,
  );
  process.exit(2);
}

checkNode();

const requiredNode = 22;

// Imported first: modules that are evaluated later call functions that older versions lack.
if (Number.parseInt(process.versions.node, 10) < requiredNode) {
  process.stderr.write(
    `bigquery-sql needs Node ${requiredNode} or newer; this is ${process.versions.node}\n`,
  );
  process.exit(2);
}

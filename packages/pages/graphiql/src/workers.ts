/** Where Monaco finds its workers: beside the script of the page. */
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker(_id: string, label: string): Worker {
      const name = label === 'json' || label === 'graphql' ? label : 'editor';
      return new Worker(new URL(`${name}.worker.js`, import.meta.url));
    },
  },
});

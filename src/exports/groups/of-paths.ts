/** The paths at which the gateway itself answers. @module */
export {
  endpointPath,
  endpointPaths,
  graphqlPath,
  healthPath,
  livePath,
  plainHealthPath,
  readinessPath,
} from '../../http/message/paths.ts';

/** The store that gateways share. @module */
export { type RedisOptions, redis } from '../gateway/redis.ts';

/**
 * The format of everything that the shared cache stores in Redis. It is raised with every change of it, also one that
 * older gateways could read: it is part of all names, so that gateways of two formats use one Redis side by side, and
 * neither reads, replaces or pushes out what belongs to the other.
 */
export const format = 'querygate/2';

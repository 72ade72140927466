import { parentPort, workerData } from 'node:worker_threads';
import { type CheckTask, checkKeys } from './check-file.ts';

parentPort?.postMessage(checkKeys(workerData as CheckTask));

import { StartError } from './errors.ts';
import { packageManifest } from './version.ts';

/**
 * Imports what needs packages that npm does not install with this one: few users need them.
 *
 * @param names of these packages, which are optional peer dependencies
 * @param use what they are for, as the subject of a sentence
 * @throws StartError that says what to install, if one of them is missing; what `load` throws
 */
export async function importOptional<T>(
  names: readonly string[],
  use: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !names.some((name) => message.includes(name))) throw error;
    const { peerDependencies } = packageManifest();
    const packages = names.map((name) => `${name}@${peerDependencies[name]}`).join(' ');
    const problem = `${use} needs packages that are not installed; install them beside querygate: npm install ${packages}`;
    throw new StartError('Packages are missing', [{ message: problem }]);
  }
}

import { checkOptions, optionRule, required } from '../../config/option-rules.ts';
import { type KeySource, noteSourceMaker } from '../key-source.ts';
import { openKeys } from '../open-keys.ts';

/** How a key file is read. */
export interface KeyFileOptions {
  /**
   * True if a start accepts a file that does not end with the number of its keys, and so may have been cut, which can
   * give a key more than was meant. For development only. Default: false.
   */
  readonly acceptsCutFile?: boolean;
}

/**
 * The keys of a file, in YAML or JSON, as `querygate keys` writes it. It is followed: a change is in force within seconds,
 * and one that has problems, or would give a key more by mistake, changes nothing.
 *
 * @param file its path, from the working folder
 * @throws StartError with every option of a wrong name or kind
 */
export function keyFile(file: string, options: KeyFileOptions = {}): KeySource {
  checkOptions(
    'keyFile',
    { file },
    { file: required({ is: optionRule.text.is, must: 'the path of a file' }) },
  );
  checkOptions<KeyFileOptions>('keyFile', options, { acceptsCutFile: optionRule.boolean });
  const { acceptsCutFile = false } = options;
  return {
    open(host) {
      const { keyring, ...keys } = openKeys({ ...host, file, apiKey: undefined, acceptsCutFile });
      return {
        ...keys,
        generation: keyring.generation,
        find: keyring.find,
        explain(text) {
          const rejection = keyring.explain(text);
          return rejection.reason === 'unknown' ? undefined : rejection;
        },
      };
    },
  };
}

noteSourceMaker(keyFile, "keyFile('keys.yaml')");

import { type SettingName, settingNames } from '../../config/settings.ts';

/** The key of a setting in `querygate.yaml`: `DATA_DIR` is `data_dir`. */
export const keyOfSetting = (name: SettingName): string => name.toLowerCase();

/** The option of a setting on the command line, without its dashes: `DATA_DIR` is `data-dir`. */
export const flagOfSetting = (name: string): string => name.toLowerCase().replaceAll('_', '-');

export const settingsByKey: ReadonlyMap<string, SettingName> = new Map(
  settingNames.map((name) => [keyOfSetting(name), name]),
);

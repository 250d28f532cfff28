import { type Methods, Type } from '@svc/plugin-sdk';
import { changesText } from '../config-changes.ts';
import type { ConfigFile } from '../config-file.ts';
import { superToken } from '../permissions.ts';
import { ConfigWarnings } from '../schemas.ts';

/** `read_config`, `edit_config` and `config_warnings`. */
export function addConfigMethods(methods: Methods, file: ConfigFile): void {
  /** Changes that the record of a running call names, by its parameters. */
  const changed = new WeakMap<object, string>();
  methods.add('svc-server_read_config', {
    summary: 'The raw text of the configuration file.',
    params: {},
    result: Type.String(),
    secret: true,
    access: superToken,
    handle: () => file.read(),
  });

  methods.add('svc-server_edit_config', {
    summary:
      'Replaces the configuration file after a trial, and reloads it once the call is answered.',
    params: { config_string: Type.String({ description: 'Complete TOML text.' }) },
    result: Type.Literal(true),
    audit: (params) => changed.get(params) ?? '',
    access: superToken,
    async handle(params) {
      await file.edit(params.config_string, (changes) => changed.set(params, changesText(changes)));
      return true as const;
    },
  });

  methods.add('svc-server_config_warnings', {
    summary:
      'Keys of the configuration that are unknown, need a restart or change in the file only, and what else it says in vain.',
    addition: true,
    params: {},
    result: ConfigWarnings,
    access: superToken,
    handle: async () => ({
      warnings: [...(await file.warnings())],
      file_only: await file.fileOnly(),
    }),
  });
}

import { RpcError } from '@svc/client';
import { usePoll, useServer } from '../../frame/index.ts';
import { toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** Text of the configuration file. */
export function useConfigurationFile() {
  const { call } = useServer();
  return usePoll('configuration', () => call('svc-server_read_config'));
}

/** Bytes of each table of the database, and of all. */
export function useStorage(options: { readonly every_ms?: number } = {}) {
  const { call } = useServer();
  return usePoll('storage', () => call('svc-server_database_storage'), options);
}

interface Warnings {
  readonly warnings: readonly {
    readonly kind: string;
    readonly key?: string;
    readonly message: string;
  }[];
  /** Keys that change in the file on the machine only; a server of an earlier version tells none. */
  readonly file_only?: readonly string[];
}

/** Warnings of the server about its configuration; none for those who may not read them. A reload closes the connection, and they are read again. */
export function useConfigurationWarnings(options: { readonly every_ms?: number } = {}): Warnings {
  const { call, may } = useServer();
  const isAllowed = may('svc-server_config_warnings') === true;
  const { data } = usePoll(
    `warnings ${isAllowed}`,
    async (): Promise<Warnings | undefined> =>
      isAllowed ? await call('svc-server_config_warnings') : undefined,
    options,
  );
  return data ?? { warnings: [] };
}

const REFUSED = /^Config not found: (.+): change it in the file on the machine \(/;

/** Saves the configuration file. Where the server names keys that change on the machine only, the failure is in this page's words. */
export function useConfigurationSave() {
  const { call } = useServer();
  return async (config_string: string) => {
    try {
      await call('svc-server_edit_config', { config_string });
    } catch (error) {
      const [, keys] = (error instanceof RpcError && REFUSED.exec(error.message)) || [];
      throw keys === undefined ? error : new Error(t.server.configuration.fileOnly.refused(keys));
    }
    toast(t.server.configuration.saved);
  };
}

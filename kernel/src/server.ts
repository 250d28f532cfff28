import { type Plugin, type ServerState, UserError } from '@svc/plugin-sdk';
import { type LoadedConfig, loadConfig, type ParsedConfig, parseConfig } from './config/load.ts';
import { writeConfig } from './config/write.ts';
import type { KernelHooks } from './hooks.ts';
import type { Log } from './log/index.ts';
import type { Network } from './network.ts';
import { applyConfigs, type PluginConfigs, pluginConfigs } from './plugins/configs.ts';
import type { Limits } from './rpc/dispatch.ts';
import { VERSION } from './version.ts';

/** Head keys that a reload changes; the others keep their value until the process starts again. */
const RELOADABLE = new Set([
  'server_uuid',
  'ws_listener',
  'jsonrpc_max_connections',
  'max_request_body_size',
  'max_response_body_size',
  'enable_unix_socket',
  'unix_socket_path',
  'tls_cert',
  'tls_key',
]);

interface Parts {
  readonly path: string;
  readonly plugins: readonly Plugin[];
  readonly hooks: KernelHooks;
  readonly network: Network;
  readonly limits: Limits;
  readonly log: Log;
}

/** The configuration in force, and its reload (configuration.md §6). */
export class ServerControl implements ServerState {
  readonly version = VERSION;
  readonly configPath: string;
  readonly log: ServerState['log'];
  readonly print: ServerState['print'];
  configs: PluginConfigs = new Map();
  #loaded: LoadedConfig;
  #reloading: Promise<void> = Promise.resolve();
  readonly #options: Parts;

  constructor(options: Parts & { readonly loaded: LoadedConfig }) {
    this.#options = options;
    this.#loaded = options.loaded;
    this.configPath = options.path;
    this.log = options.log.sinks;
    this.print = options.log.print;
  }

  readonly uuid = () => this.#loaded.head.server_uuid;
  readonly maxResponseBytes = () => this.#options.limits.maxResponseBytes;
  readonly maxRequestBytes = () => this.#options.network.maxRequestBytes;
  readonly plugins = () => this.#options.plugins.map(({ name }) => name);
  readonly writeConfig = (text: string) => writeConfig(this.configPath, text);

  readonly checkConfig = (text: string): ParsedConfig => {
    const parsed = parseConfig(text);
    pluginConfigs(this.#options.plugins, { ...parsed, text });
    return parsed;
  };

  readonly tryConfig = async (text: string): Promise<void> => {
    await this.#options.network.try(this.checkConfig(text).head);
  };

  /** One at a time; a reload asked for during another one runs after it. */
  readonly reload = (): Promise<void> => {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => {});
    return next;
  };

  async #reload(): Promise<void> {
    const { logger } = this.#options.log;
    try {
      const loaded = await loadConfig(this.configPath);
      const configs = pluginConfigs(this.#options.plugins, loaded);
      await this.#options.network.reload(loaded.head);
      const needRestart = [
        ...changedHeadKeys(this.#loaded, loaded),
        ...applyConfigs(this.configs, configs),
      ];
      this.#loaded = loaded;
      this.#options.limits.maxResponseBytes = loaded.head.max_response_body_size;
      if (needRestart.length > 0)
        logger.warn('changed keys need a restart', { keys: needRestart.join(', ') });
      await this.#options.hooks.reload.promise({ needRestart });
      logger.info('configuration reloaded');
    } catch (error) {
      logger.error('reload failed, the old configuration stays in force', { error });
      throw error instanceof UserError ? error : new UserError('reload failed', { cause: error });
    }
  }
}

function changedHeadKeys(before: LoadedConfig, after: LoadedConfig): string[] {
  const old = before.head as Record<string, unknown>;
  return Object.entries(after.head)
    .filter(
      ([key, value]) => !RELOADABLE.has(key) && JSON.stringify(value) !== JSON.stringify(old[key]),
    )
    .map(([key]) => key);
}

import type { App } from '@svc/kernel';
import { type ConfigurationFile, type Logger, type Plugin, UserError } from '@svc/plugin-sdk';
import { watchCertificate } from './certificate-watch.ts';
import { type LoadedConfig, loadConfig, type ParsedConfig, parseConfig } from './config/load.ts';
import { writeConfig } from './config/write.ts';
import { kernelHead } from './kernel-head.ts';
import { applySections, changedKeys, type Sections, sectionsOf } from './plugins/sections.ts';

/** Head keys that a reload changes; the others keep their value until the process starts again. */
const RELOADABLE = (
  'server_uuid jsonrpc_max_connections jsonrpc_max_batch_entries max_request_body_size ' +
  'max_response_body_size ws_listener enable_unix_socket unix_socket_path tls_cert tls_key'
).split(' ');

interface Options {
  readonly path: string;
  readonly plugins: readonly Plugin[];
  readonly sections: Sections;
  readonly log: Logger;
}

/** The file that a running server was started with, and its reload (configuration.md §6). */
export class ServedFile implements ConfigurationFile {
  readonly path: string;
  readonly #options: Options;
  #loaded: LoadedConfig;
  #app: App | undefined;
  #endWatch = (): void => {};
  #reloading: Promise<void> = Promise.resolve();

  constructor(options: Options & { readonly loaded: LoadedConfig }) {
    this.path = options.path;
    this.#options = options;
    this.#loaded = options.loaded;
  }

  /** From now on a reload reaches this server. */
  serve(app: App): void {
    this.#app = app;
    this.#follow(this.#loaded);
  }

  close(): void {
    this.#endWatch();
  }

  check(text: string): ParsedConfig {
    const parsed = parseConfig(text);
    sectionsOf(this.#options.plugins, { ...parsed, text });
    return parsed;
  }

  async try(text: string): Promise<void> {
    await this.#running().try(kernelHead(this.check(text).head));
  }

  write(text: string): Promise<void> {
    return writeConfig(this.path, text);
  }

  /** One at a time; a reload asked for during another one runs after it. */
  reload(): Promise<void> {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => {});
    return next;
  }

  async #reload(): Promise<void> {
    const { log, plugins, sections } = this.#options;
    const app = this.#running();
    try {
      const loaded = await loadConfig(this.path);
      const next = sectionsOf(plugins, loaded);
      await app.follow(kernelHead(loaded.head));
      const changed = changedKeys(this.#loaded.head, loaded.head);
      const needRestart = [
        ...changed.filter((key) => !RELOADABLE.includes(key)),
        ...applySections(plugins, sections, next),
      ];
      this.#follow(loaded);
      if (needRestart.length > 0)
        log.warn('changed keys need a restart', { keys: needRestart.join(', ') });
      await app.hooks.reload.promise({ needRestart });
      log.info('configuration reloaded');
    } catch (error) {
      log.error('reload failed, the old configuration stays in force', { error });
      throw error instanceof UserError ? error : new UserError('reload failed', { cause: error });
    }
  }

  #follow(loaded: LoadedConfig): void {
    this.#loaded = loaded;
    this.#endWatch();
    this.#endWatch = watchCertificate(loaded.head, this.#running(), this.#options.log);
  }

  #running(): App {
    if (!this.#app) throw new UserError('the server is still starting');
    return this.#app;
  }
}

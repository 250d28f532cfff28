import { chmodSync, lstatSync } from 'node:fs';
import type { App } from '@svc/kernel';
import { type ConfigurationFile, type Logger, type Plugin, UserError } from '@svc/plugin-sdk';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { TObject } from 'typebox';
import { watchCertificate } from './certificate-watch.ts';
import { type LoadedConfig, loadConfig, type ParsedConfig, parseConfig } from './config/load.ts';
import { writeConfig } from './config/write.ts';
import { kernelHead } from './kernel-head.ts';
import { secretsOf } from './log/configuration.ts';
import { hideInLogs } from './log/mask.ts';
import { builtInNames, loadPlugin } from './plugins/find.ts';
import {
  applySections,
  changedLeaves,
  heldBack,
  keyWarnings,
  type Sections,
  schemaOf,
  sectionsOf,
} from './plugins/sections.ts';

/** Head keys that a reload changes; the others keep their value until the process starts again. */
const RELOADABLE = (
  'server_uuid jsonrpc_max_connections jsonrpc_max_batch_entries max_request_body_size ' +
  'max_response_body_size ws_listener enable_unix_socket unix_socket_path tls_cert tls_key'
).split(' ');

interface Options {
  readonly path: string;
  /** Configuration with which the program was started. */
  readonly loaded: LoadedConfig;
  /** Wins over the file's `ws_listener`. */
  readonly listen: string | undefined;
  /** umask of the Unix socket, where it differs from that of the process. */
  readonly umask: number | undefined;
  readonly plugins: readonly Plugin[];
  readonly sections: Sections;
  readonly log: Logger;
}

const NOBODY =
  'No plugin of the list knows any credential, so everything that asks for one is refused: add "token" to plugins.';

/** The file that a running server was started with, and its reload (configuration.md §6). */
export class ServedFile implements ConfigurationFile {
  readonly path: string;
  readonly #options: Options;
  /** Reason why the last reload did not come into force. */
  #failure: string | undefined;
  #inForce: LoadedConfig;
  #schema: Promise<TObject> | undefined;
  #app: App | undefined;
  #endWatch = (): void => {};
  readonly #reloads = new SerialQueue();

  constructor(options: Options) {
    this.path = options.path;
    this.#options = options;
    this.#inForce = options.loaded;
  }

  /** Has a reload reach this server. */
  attach(app: App): void {
    this.#app = app;
  }

  /** Attaches a server that listens. A command that runs next to one attaches only, and so does not touch the server's socket. */
  serve(app: App): void {
    this.attach(app);
    if (!app.hooks.authenticate.isUsed()) this.#options.log.warn(NOBODY);
    this.#follow(this.#options.loaded);
  }

  close(): void {
    this.#endWatch();
  }

  check(text: string): ParsedConfig {
    const parsed = parseConfig(text);
    sectionsOf(this.#options.plugins, { ...parsed, text });
    return parsed;
  }

  schema(): Promise<TObject> {
    this.#schema ??= wholeSchema(this.#options.plugins);
    return this.#schema;
  }

  inForce(): Readonly<Record<string, unknown>> {
    return this.#inForce.raw;
  }

  async try(text: string): Promise<void> {
    await this.#running().try(kernelHead(this.check(text).head, this.#options.listen));
  }

  write(text: string): Promise<void> {
    return writeConfig(this.path, text);
  }

  replace(path: string, text: string): Promise<void> {
    return writeConfig(path, text);
  }

  /** One at a time; a reload asked for during another one runs after it. */
  reload(): Promise<void> {
    return this.#reloads.run(() => this.#reload());
  }

  async warnings(): Promise<readonly ConfigWarning[]> {
    const { listen, plugins } = this.#options;
    const found: ConfigWarning[] = [];
    if (this.#failure) found.push({ kind: 'reload', message: this.#failure });
    try {
      const loaded = await loadConfig(this.path);
      const strange = keyWarnings(plugins, loaded);
      found.push(...strange);
      for (const key of this.#heldBack(loaded, strange, sectionsOf(plugins, loaded)))
        found.push({ kind: 'restart', key, message: `the new value of '${key}' needs a restart` });
      const key = 'ws_listener';
      if (listen !== undefined && loaded.head[key] !== listen)
        found.push({ kind: 'restart', key, message: `--listen ${listen} wins over '${key}'` });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (!this.#failure) found.push({ kind: 'reload', message: error.message });
    }
    await this.#running().hooks.warnings.promise(found);
    return found;
  }

  async #reload(): Promise<void> {
    const { listen, log, plugins, sections } = this.#options;
    const app = this.#running();
    try {
      const loaded = await loadConfig(this.path);
      const next = sectionsOf(plugins, loaded);
      hideInLogs(secretsOf(loaded.raw, schemaOf(plugins)));
      await app.follow(kernelHead(loaded.head, listen));
      applySections(plugins, sections, next);
      this.#follow(loaded);
      const strange = keyWarnings(plugins, loaded);
      for (const { kind, message } of strange) if (kind === 'unknown') log.warn(message);
      const needRestart = this.#heldBack(loaded, strange, next);
      if (needRestart.length > 0)
        log.warn('changed keys need a restart', { keys: needRestart.join(', ') });
      await app.hooks.reload.promise({ needRestart });
      this.#failure = undefined;
      log.info('configuration reloaded');
    } catch (error) {
      log.error('reload failed, the old configuration stays in force', { error });
      const failure =
        error instanceof UserError ? error : new UserError('reload failed', { cause: error });
      this.#failure = `the old configuration is in force: ${failure.message}`;
      throw failure;
    }
  }

  /** Keys whose value in the file is another one than at the start, and that no reload changes; those that are warned of are left out. */
  #heldBack(loaded: LoadedConfig, strange: readonly ConfigWarning[], next: Sections): string[] {
    const { loaded: first, plugins, sections } = this.#options;
    const head = changedLeaves(first.head, loaded.head).filter((key) => !RELOADABLE.includes(key));
    const changed = [...head, ...heldBack(plugins, sections, next)];
    const ignored = new Set(strange.map(({ key }) => key));
    return changed.filter((key) => !ignored.has(key));
  }

  #follow(loaded: LoadedConfig): void {
    const { head } = loaded;
    this.#inForce = loaded;
    this.#endWatch();
    this.#endWatch = watchCertificate(head, this.#running(), this.#options.log);
    const { unix_socket_path: path, enable_unix_socket } = head;
    if (enable_unix_socket && lstatSync(path, { throwIfNoEntry: false })?.isSocket())
      chmodSync(path, 0o777 & ~(this.#options.umask ?? process.umask()));
  }

  #running(): App {
    if (!this.#app) throw new UserError('the server is still starting');
    return this.#app;
  }
}

async function wholeSchema(loaded: readonly Plugin[]): Promise<TObject> {
  const names = builtInNames().filter((name) => !loaded.some((plugin) => plugin.name === name));
  // The section of one that does not load, for example because its packages are missing, has no schema.
  const loading = names.map((name) => loadPlugin(name, '.').catch(() => undefined));
  const others = (await Promise.all(loading)).filter((plugin) => plugin !== undefined);
  return schemaOf([...others, ...loaded]);
}

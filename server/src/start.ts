import { dirname, resolve } from 'node:path';
import { type App, boot } from '@svc/kernel';
import { type Clock, ConfigurationFile, type Logger, LogSinks, type Plugin } from '@svc/plugin-sdk';
import { Announcement } from './announcement.ts';
import type { Head } from './config/head.ts';
import { inFile, type LoadedConfig, loadConfig } from './config/load.ts';
import { ServedFile } from './configuration-file.ts';
import { kernelHead } from './kernel-head.ts';
import { logConfiguration, secretsOf, shownBy } from './log/configuration.ts';
import { type Log, type LogOptions, openLog } from './log/index.ts';
import { hideInLogs } from './log/mask.ts';
import { beginAhead, choosePlugins, leftOut, providerOf } from './plugins/choose.ts';
import { builtInNames, entriesOf } from './plugins/find.ts';
import { keyWarnings, schemaOf, sectionsOf } from './plugins/sections.ts';
import { VERSION } from './version.ts';

export interface StartOptions {
  /** Path of the configuration file. */
  readonly config: string;
  /** Text for a file that does not exist yet: it is written once the server listens. */
  readonly draft?: string | undefined;
  /** `IP:port` that wins over the file's `ws_listener`, after reloads too. */
  readonly listen?: string | undefined;
  /** The umask that the program was started with: the Unix socket, which others may use, follows it. */
  readonly umask?: number;
  /** Collects what the person who starts the server must not miss, for the caller to print. Default: printed when the start is over. */
  readonly announcement?: Announcement;
  /** Ends the start between two of its steps. */
  readonly early?: AbortSignal;
  /** Called as soon as the server listens, before plugins and the system are told that it is ready. */
  readonly started?: (app: App) => void;
  /**
   * `tool`: database and plugins only, nothing listens (init and other commands). `look`: besides, nothing is made or
   * changed, neither files nor tables. Default: `serve`.
   */
  readonly mode?: 'serve' | 'tool' | 'look';
  /** Tells whether a tool gets the database as it is, neither migrated nor with first rows. */
  readonly bare?: (app: App) => boolean;
  /** Plugin objects or entries instead of the configuration's lists: tests, embedding. */
  readonly plugins?: readonly (Plugin | string)[] | undefined;
  readonly clock?: Clock;
  readonly console?: LogOptions['console'];
  /** Filter of the log where neither `RUST_LOG` nor the option of a sink sets one. */
  readonly logFilter?: string | undefined;
  /** Refuses messages whose payload does not fit the schema of their topic: for tests. */
  readonly checkPayloads?: boolean | undefined;
}

/** Starts a server with a configuration file. @throws UserError for what the operator can mend; it names the file */
export async function start(options: StartOptions): Promise<App> {
  const path = resolve(options.config);
  const { draft, listen, umask, mode = 'serve' } = options;
  const loaded = await loadConfig(path, draft);
  const head = mode === 'look' ? withoutFiles(loaded.head) : loaded.head;
  const log = logOf(options, head);
  const { logger } = log;
  const announcement = options.announcement ?? new Announcement();
  announcement.print = log.print;
  const endUnused = await beginAhead(head, dirname(path));
  try {
    const plugins = await choosePlugins(options.plugins ?? entriesOf(head), head, dirname(path));
    const schema = schemaOf(plugins);
    hideInLogs(secretsOf(loaded.raw, schema));
    logConfiguration(logger, path, loaded.raw, shownBy(schema));
    const sections = sectionsOf(plugins, loaded);
    logSettings(options, loaded, plugins, logger);
    const file = new ServedFile({ path, loaded, listen, umask, plugins, sections, log: logger });
    const app = await boot({
      head: kernelHead(head, listen),
      sections,
      plugins,
      log: logger,
      version: VERSION,
      mode,
      isForeign: (plugin) => !builtInNames().includes(plugin),
      ...passedOn(options),
      services: servicesOf(file, { ...log.sinks, announce: announcement.add }),
      listening: (app) => beginServing(file, app, options),
      suggest: (service) => providerOf(service, dirname(path)),
      atEnd: async () => {
        announcement.flush();
        file.close();
        await log.close();
      },
    });
    if (mode !== 'serve') file.attach(app);
    if (draft !== undefined && mode !== 'look') await file.write(loaded.text);
    if (!options.announcement) announcement.flush();
    return app;
  } catch (error) {
    await log.close();
    throw inFile(path, error);
  } finally {
    endUnused();
  }
}

const passedOn = ({ bare, early, checkPayloads, clock }: StartOptions) => ({
  ...{ bare, early, checkPayloads },
  ...(clock && { clock }),
});

/** Logs what in the configuration is probably a mistake, and the plugins that a list leaves out. */
function logSettings(
  options: StartOptions,
  loaded: LoadedConfig,
  plugins: readonly Plugin[],
  log: Logger,
): void {
  for (const { message } of keyWarnings(plugins, loaded)) log.warn(message);
  if (options.plugins || (options.mode ?? 'serve') !== 'serve') return;
  const off = leftOut(loaded.head, plugins).join(', ');
  if (off !== '') log.info('plugins leaves out built-in plugins', { off });
}

function beginServing(file: ServedFile, app: App, { started }: StartOptions): void {
  file.serve(app);
  started?.(app);
}

function logOf({ console = 'stdout', logFilter }: StartOptions, { brand, logging }: Head): Log {
  return openLog(logging, { env: process.env['RUST_LOG'] ?? logFilter, console, brand });
}

const servicesOf = (file: ConfigurationFile, sinks: LogSinks) =>
  new Map<string, unknown>([
    [ConfigurationFile.service, file],
    [LogSinks.service, sinks],
  ]);

/** Returns the head without the files that a start opens besides the database: `doctor` finds their faults on its own, and writes no log. */
function withoutFiles({ tls_cert, tls_key, ...head }: Head): Head {
  const { json_log_file, ...logging } = head.logging;
  return { ...head, logging };
}

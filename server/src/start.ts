import { dirname, resolve } from 'node:path';
import { type App, boot } from '@svc/kernel';
import { type Clock, ConfigurationFile, LogSinks, type Plugin } from '@svc/plugin-sdk';
import { loadConfig } from './config/load.ts';
import { ServedFile } from './configuration-file.ts';
import { kernelHead } from './kernel-head.ts';
import { type LogOptions, openLog } from './log/index.ts';
import { choosePlugins, providerOf } from './plugins/choose.ts';
import { sectionsOf, warnAboutUnknownKeys } from './plugins/sections.ts';
import { VERSION } from './version.ts';

export interface StartOptions {
  /** Path of the configuration file. */
  readonly config: string;
  /** `tool`: database and plugins only, nothing listens (init and other commands). Default: `serve`. */
  readonly mode?: 'serve' | 'tool';
  /** Plugin objects or entries instead of the configuration's list: tests, embedding. */
  readonly plugins?: readonly (Plugin | string)[] | undefined;
  readonly clock?: Clock;
  readonly console?: LogOptions['console'];
  /** Refuses messages whose payload does not fit the schema of their topic: for tests. */
  readonly checkPayloads?: boolean | undefined;
}

/** Starts a server with a configuration file. @throws UserError for what the operator can mend */
export async function start(options: StartOptions): Promise<App> {
  const path = resolve(options.config);
  const loaded = await loadConfig(path);
  const { head, raw } = loaded;
  const { console = 'stdout', mode = 'serve' } = options;
  const log = openLog(head.logging, { env: process.env['RUST_LOG'], console, brand: head.brand });
  const { logger } = log;
  logger.info('configuration', { path, config: raw });
  for (const warning of loaded.warnings) logger.warn(warning);
  try {
    const plugins = await choosePlugins(options.plugins ?? head.plugins, head, dirname(path));
    const sections = sectionsOf(plugins, loaded);
    warnAboutUnknownKeys(plugins, loaded, logger);
    const file = new ServedFile({ path, loaded, plugins, sections, log: logger });
    const app = await boot({
      head: kernelHead(head),
      sections,
      plugins,
      log: logger,
      version: VERSION,
      mode,
      checkPayloads: options.checkPayloads,
      ...(options.clock && { clock: options.clock }),
      services: new Map<string, unknown>([
        [ConfigurationFile.service, file],
        [LogSinks.service, log.sinks],
      ]),
      suggest: (service) => providerOf(service, dirname(path)),
      atEnd: async () => {
        file.close();
        await log.close();
      },
    });
    file.serve(app);
    return app;
  } catch (error) {
    await log.close();
    throw error;
  }
}

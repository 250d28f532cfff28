import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, finding, type Plugin } from '@svc/plugin-sdk';
import { asksForUuid } from '../config/auto-gen.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { choosePlugins, leftOut } from '../plugins/choose.ts';
import { entriesOf } from '../plugins/find.ts';
import { keyWarnings, sectionsOf } from '../plugins/sections.ts';
import { linesOf, sentence } from './text.ts';

export interface ReadConfiguration {
  readonly text: string;
  readonly loaded: LoadedConfig;
  /** Empty where a plugin cannot be loaded, or does not take its section. */
  readonly plugins: readonly Plugin[];
}

/** Reads the file as a start does, and writes nothing. @returns undefined when its head cannot be used */
export async function examineConfiguration(
  path: string,
  found: Finding[],
): Promise<ReadConfiguration | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    const loaded = await loadConfig(path, text);
    const plugins = await pluginsOf(path, loaded, found);
    if (asksForUuid(loaded.raw))
      found.push(finding('configuration', 'ok', 'server_uuid is made at the first start.'));
    return { text, loaded, plugins };
  } catch (error) {
    found.push(...faults(error, path, '; nothing else could be looked at'));
    return undefined;
  }
}

async function pluginsOf(path: string, loaded: LoadedConfig, found: Finding[]): Promise<Plugin[]> {
  try {
    const plugins = await choosePlugins(entriesOf(loaded.head), loaded.head, dirname(path));
    sectionsOf(plugins, loaded);
    for (const { kind, message } of keyWarnings(plugins, loaded)) {
      const advice = kind === 'unknown' ? 'Correct the key, or take it out.' : undefined;
      found.push(finding('configuration', 'advice', sentence(message), advice));
    }
    const message = `The file can be read; it asks for ${plugins.length} plugins.`;
    found.push(finding('configuration', 'ok', message), ...withoutSome(loaded, plugins));
    return plugins;
  } catch (error) {
    found.push(...faults(error, path));
    return [];
  }
}

function withoutSome({ head }: LoadedConfig, plugins: readonly Plugin[]): Finding[] {
  const off = leftOut(head, plugins);
  if (off.length === 0) return [];
  const message = `The list plugins leaves out built-in plugins: ${off.join(', ')}. A list extra_plugins in its place would run all of them, and what it names.`;
  return [finding('configuration', 'ok', message)];
}

export const faults = (error: unknown, path: string, more = ''): Finding[] =>
  linesOf(error, path).map((line) =>
    finding('configuration', 'problem', sentence(line), `Correct it in ${path}${more}.`),
  );

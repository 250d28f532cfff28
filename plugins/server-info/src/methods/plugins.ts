import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Kernel, Methods } from '@svc/plugin-sdk';
import { Plugins } from '../schemas.ts';

/**
 * `plugins`: what the kernel tells plugins about the enabled ones. Any valid credential may read it, as `rpc.discover`
 * names the plugin of each method to the same callers.
 */
export function addPluginsMethod(
  methods: Methods,
  { plugins, server }: Pick<Kernel, 'plugins' | 'server'>,
  rewrite: (name: string) => string,
): void {
  methods.add('svc-server_plugins', {
    summary: 'The plugins of this server, by name: version, namespaces, and whether built in.',
    description: 'A plugin that is not in the list is not enabled.',
    addition: true,
    params: {},
    result: Plugins,
    access: 'authenticated',
    handle: () => ({
      plugins: plugins
        .map(({ name, version = server.version, namespaces = [] }) => ({
          name,
          version,
          enabled: true as const,
          built_in: isBuiltIn(name),
          namespaces: namespaces.map(rewrite),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }),
  });
}

/** Tells whether a name is that of a plugin that is installed with this product. */
function isBuiltIn(name: string): boolean {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return false;
  const folders = createRequire(import.meta.url).resolve.paths('@svc/plugin-sdk') ?? [];
  return folders.some((folder) => existsSync(join(folder, '@svc', `plugin-${name}`)));
}

import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { hasCode } from '@svc/plugin-sdk/util';

const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

let isLent = false;

/**
 * Plugins from elsewhere import the server's own `@svc/…` packages, which no registry has, wherever their files lie. A copy
 * that they bring wins.
 */
export function lendOwnPackages(): void {
  if (isLent) return;
  isLent = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('@svc/')) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        const url = hasCode(error, NOT_FOUND)
          ? ownAddress(specifier, context.parentURL)
          : undefined;
        if (url === undefined) throw error;
        return { url, shortCircuit: true };
      }
    },
  });
}

function ownAddress(specifier: string, parent: string | undefined): string | undefined {
  const here = import.meta.url;
  // Its own question comes through the hook as well.
  if (parent === here) return undefined;
  try {
    return pathToFileURL(createRequire(here).resolve(specifier)).href;
  } catch {
    // The error of the plugin's import says more.
    return undefined;
  }
}

import type { Kernel, Methods } from '@svc/plugin-sdk';
import type { Owners, Tokens } from '@svc/plugin-token/api';
import type { Changes } from '../changes.ts';
import { ImportedStore } from '../store/imported.ts';
import type { MonitorStore } from '../store/monitors.ts';
import { Importer } from './importer.ts';
import { addImportMethods } from './methods.ts';

export { importCommand } from './command.ts';
export type { Importer } from './importer.ts';

export interface ImportParts {
  readonly changes: Changes;
  readonly monitors: MonitorStore;
  readonly owners: Owners;
  readonly tokens: Tokens;
}

/** Imports of what other programs have: adds their methods. */
export function openImports(
  methods: Methods,
  kernel: Kernel,
  { owners, tokens, ...parts }: ImportParts,
): Importer {
  const importer = new Importer({ ...parts, kernel, imported: new ImportedStore(kernel.db) });
  addImportMethods(methods, kernel, { importer, owners, tokens });
  return importer;
}

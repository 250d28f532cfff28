/** A built-in plugin's module. The build puts a table in the place of this one (scripts/bundle.mjs). */
export const importBuiltIn = (name: string): Promise<unknown> => import(`@svc/plugin-${name}`);

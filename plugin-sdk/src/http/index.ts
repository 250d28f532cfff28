/** Entry for plugins that answer with files. */
export { acceptedLanguage } from './accepted-language.ts';
export { conditionsOf, type Validators, type Verdict } from './conditions.ts';
export * from './contract.ts';
export { escapeHtml } from './escape-html.ts';
export { etagOf } from './etag.ts';
export { FileServer, type FileServerOptions } from './file-server.ts';
export { type OpenFile, openFile } from './open-file.ts';
export type { Representation } from './representation.ts';
export type { Pace } from './stream.ts';

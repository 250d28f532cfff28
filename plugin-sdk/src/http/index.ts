/** What a plugin needs to answer with files. */
export { FileServer, type FileServerOptions } from './file-server.ts';
export { type OpenFile, openFile } from './open-file.ts';
export type { Representation } from './representation.ts';
export type { Pace } from './stream.ts';

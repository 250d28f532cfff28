import { randomBytes } from 'node:crypto';

const pattern = /^\.upload-[0-9a-f]{16}\.part$/i;

/** Name of a new unfinished upload. It lies next to its target, so that one rename finishes it. */
export const temporaryName = (): string => `.upload-${randomBytes(8).toString('hex')}.part`;

export const isTemporary = (name: string): boolean => pattern.test(name);

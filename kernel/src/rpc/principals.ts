import type { Principal } from '@svc/plugin-sdk';

const never = new AbortController().signal;

/** The caller of a public method: no name, no right. */
export const anonymous: Principal = { id: '', super: false, ended: never };
/** The server itself, for calls it makes in-process. */
export const system: Principal = { id: 'system', super: true, ended: never };

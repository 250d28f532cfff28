import type { Server } from '../../../frame/index.ts';

/** Tells whether the token may change this channel; the server's answer where its own right names channels by their beginning. */
export const mayChange = ({ may }: Server, name: string): boolean =>
  may('channel_update', { name, change: {} }) === true;

export const mayDelete = ({ may }: Server, name: string): boolean =>
  may('channel_delete', { name }) === true;

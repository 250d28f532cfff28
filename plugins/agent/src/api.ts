import { service } from '@svc/plugin-sdk';

/** When agents were heard of last. */
export interface LastReports {
  /**
   * Unix ms, by the server's clock, of the newest report of this agent that is a summary or a full one; undefined: none is stored.
   * @throws RpcError 103
   */
  heardAt(uuid: string): Promise<number | undefined>;
}

export const LastReports = service<LastReports>('last-reports');

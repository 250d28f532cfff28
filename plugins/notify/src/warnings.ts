import type { ConfigWarning, Kernel } from '@svc/plugin-sdk';
import type { Config } from './config.ts';
import type { Keys } from './keys.ts';
import { isLoopback } from './page-url.ts';
import type { ChannelStore } from './store/channels.ts';
import type { StateStore } from './store/state.ts';

interface Parts {
  readonly keys: Keys;
  readonly channels: ChannelStore;
  readonly state: StateStore;
}

/** Warnings about the key of secrets, and about links in messages that open nowhere else. @throws RpcError 103 */
export async function warningsOf(
  { config }: Pick<Kernel<Config>, 'config'>,
  { keys, channels, state }: Parts,
): Promise<ConfigWarning[]> {
  const found: ConfigWarning[] = [];
  const fault = keys.fault;
  if (fault !== undefined) found.push({ kind: 'advice', key: 'notify.key_file', message: fault });
  const url = config.public_url || ((await state.publicUrl()) ?? '');
  if (isLoopback(url) && (await channels.list()).length > 0) {
    const message = `Links in messages lead to ${url}, which opens on this machine only: set [notify] public_url to the address of the dashboard that phones and others reach`;
    found.push({ kind: 'advice', key: 'notify.public_url', message });
  }
  return found;
}

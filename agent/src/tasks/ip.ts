import { isIP } from 'node:net';
import type { AgentConfig } from '../config.ts';
import { expectNothing } from '../content.ts';
import { readBody } from '../http/body.ts';
import { follow } from '../http/follow.ts';
import { withLimit } from '../limits.ts';
import type { TaskContext, TaskHandler } from '../task-context.ts';

const PER_FAMILY_MS = 5000;
const MAX_BYTES = 64 * 1024;

/** The addresses at which a provider tells the caller's IP address: over IPv4, over IPv6. */
const PROVIDERS = {
  cloudflare: [
    'https://www.cloudflare.com/cdn-cgi/trace',
    'https://www.cloudflare.com/cdn-cgi/trace',
  ],
  ipinfo: ['https://ipinfo.io/ip', 'https://v6.ipinfo.io/ip'],
} satisfies Record<AgentConfig['ip_provider'], [string, string]>;

/** `[IPv4 or null, IPv6 or null]` as the Internet sees this machine; always a success (task.md §6). */
export const ip: TaskHandler = async (content, context) => {
  expectNothing(content, 'ip');
  const { ip_provider, ip_provider_urls } = context.runtime.config;
  const [url4 = '', url6 = ''] =
    ip_provider_urls.length > 0 ? ip_provider_urls : PROVIDERS[ip_provider];
  return await Promise.all([publicAddress(url4, 4, context), publicAddress(url6, 6, context)]);
};

async function publicAddress(
  url: string,
  family: 4 | 6,
  { runtime: { clock }, signal, log }: TaskContext,
): Promise<string | null> {
  const call = { url: new URL(url), method: 'GET', headers: [], body: Buffer.alloc(0), family };
  const limit = { clock, label: `IPv${family} provider`, ms: PER_FAMILY_MS, parent: signal };
  try {
    const text = await withLimit(limit, async (limited) =>
      String(await readBody(await follow(call, limited), MAX_BYTES)),
    );
    const address = addressIn(text);
    return isIP(address) === family ? address : null;
  } catch (error) {
    log.debug('no public address', { family, reason: String(error) });
    return null;
  }
}

/** Address in an answer, which is the bare address, or lines `key=value`, one of them `ip=…`. */
const addressIn = (text: string): string => (/^ip=(.*)$/m.exec(text)?.[1] ?? text).trim();

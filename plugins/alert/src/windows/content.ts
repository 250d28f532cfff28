import { RpcError, type Static } from '@svc/plugin-sdk';
import type { WindowChange } from '../schemas.ts';
import { storedMatcher } from '../silences/matcher.ts';
import type { MaintenanceWindow, Matcher } from '../types.ts';
import type { WindowContent } from './store.ts';
import { demandZone, Schedule } from './times.ts';

const LONGEST_MS = 62 * 86_400_000;
const MOST_PAGES = 50;

type Given = Static<typeof WindowChange>;

/** Content of a window after a change. @param old the window before; undefined: there is none @throws RpcError 108 */
export function contentOf(
  given: Given,
  { owner, now }: { readonly owner: string | null; readonly now: number },
  old?: MaintenanceWindow,
): WindowContent {
  const kept = <T>(value: T | null | undefined, before: T | undefined, otherwise: T): T =>
    value === undefined ? (before ?? otherwise) : (value ?? otherwise);
  const content: WindowContent = {
    name: given.name ?? old?.name ?? '',
    scope: storedMatcher((given.scope ?? old?.scope) as Matcher),
    zone: kept(given.zone, old?.zone, 'UTC'),
    ...timesOf(given, old),
    effect: kept(given.effect, old?.effect, 'quiet'),
    public: kept<readonly string[]>(given.public, old?.public, []),
    enable: kept(given.enable, old?.enable, true),
    owner,
  };
  demandZone(content.zone);
  check(content, now);
  return content;
}

/** Times of the change; one that names `once` does away with `cron`, and the other way round. */
function timesOf(given: Given, old: MaintenanceWindow | undefined) {
  const { once, cron, duration_s } = given;
  if (once && (cron || duration_s)) throw oneOf();
  if (once) return { once_from: once.from, once_to: once.to, cron: null, duration_s: null };
  const isRepeated = Boolean(cron || duration_s);
  const repeated = {
    cron: cron === undefined ? (old?.cron ?? null) : cron,
    duration_s: duration_s === undefined ? (old?.duration_s ?? null) : duration_s,
  };
  if (isRepeated || once === null) return { once_from: null, once_to: null, ...repeated };
  return { once_from: old?.once_from ?? null, once_to: old?.once_to ?? null, ...repeated };
}

function check(content: WindowContent, now: number): void {
  const { once_from, once_to, cron, duration_s } = content;
  if (once_from === null || once_to === null) {
    if (cron === null || duration_s === null) throw oneOf();
  } else if (once_to <= once_from) throw RpcError.invalid('once.to must be later than once.from');
  else if (once_to - once_from > LONGEST_MS)
    throw RpcError.invalid('a window lasts at most 62 days: set a nearer end');
  if (content.public.length > MOST_PAGES)
    throw RpcError.invalid(`public: at most ${MOST_PAGES} status pages`);
  // Its constructor says what is wrong.
  new Schedule(content).demandBegin(now);
}

const oneOf = () => RpcError.invalid('give once with from and to, or cron with duration_s');

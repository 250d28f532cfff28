import { RpcError, type Static } from '@svc/plugin-sdk';
import { faultText, isChecked } from './engine/checked.ts';
import { conditionOf } from './engine/condition.ts';
import { placeCount } from './engine/places.ts';
import type { MonitorChange } from './schemas.ts';
import type { NewMonitor } from './store/rows.ts';
import type { Kind, Places } from './types.ts';

/** Members of a monitor that stand in its row as a caller gives them. */
export type Settings = Omit<
  NewMonitor,
  'kind' | 'spec' | 'secret' | 'parent' | 'owner' | 'imported_from'
>;
type Given = Static<typeof MonitorChange>;

const MOST_TIMEOUT_S = 10;
/** Registries limit how often they are asked. */
export const LEAST_DOMAIN_S = 3_600;
const USUAL_DOMAIN_S = 43_200;

const UNSET = {
  ...{ group: null, tags: [] as readonly string[], interval_s: 60, retries: 2, retry_s: 20 },
  ...{ recover_after: 1, places: { server: true } as Places, down_when: null, condition: null },
  ...{ upside_down: false, severity: 'critical', public_name: null, enable: true, note: '' },
} as const;

/** Returns settings from what a caller gives: absent members stay as they were, null takes the default. @throws RpcError 108 */
export function settingsOf(kind: Kind, given: Given, old?: Settings): Settings {
  const unset = kind === 'domain' ? { ...UNSET, interval_s: USUAL_DOMAIN_S } : UNSET;
  const member = <Name extends keyof typeof UNSET>(name: Name) =>
    (given[name] ?? (given[name] === null || !old ? unset[name] : old[name])) as Settings[Name];
  const name = given.name ?? old?.name ?? '';
  const interval_s = member('interval_s');
  const usual = Math.max(1, Math.min(MOST_TIMEOUT_S, Math.floor(interval_s / 2)));
  const kept = given.timeout_s === null ? undefined : old?.timeout_s;
  return {
    ...{ name, interval_s, timeout_s: given.timeout_s ?? kept ?? usual },
    ...{ group: member('group'), tags: member('tags'), retries: member('retries') },
    ...{ retry_s: member('retry_s'), recover_after: member('recover_after') },
    ...{ places: given.places ? placesOf(given.places) : member('places') },
    ...{ down_when: member('down_when'), condition: member('condition') },
    ...{ upside_down: member('upside_down'), severity: member('severity') },
    ...{ public_name: member('public_name'), enable: member('enable'), note: member('note') },
  };
}

function placesOf({ server, agents, tags, pick }: NonNullable<Given['places']>): Places {
  return {
    server: server ?? true,
    ...(agents?.length && { agents: [...new Set(agents.map((uuid) => uuid.toLowerCase()))] }),
    ...(tags?.length && { tags: [...new Set(tags)] }),
    ...(pick && { pick }),
  };
}

/** Checks what the schemas cannot say. @throws RpcError 108 that names what to change */
export function checkSettings(kind: Kind, settings: Settings, least_s: number): void {
  const fault =
    textFault(settings) ??
    (isChecked(kind) ? checkedFault(kind, settings, least_s) : calledFault(kind, settings));
  if (fault !== undefined) throw RpcError.invalid(fault);
  if (settings.condition === null || !isChecked(kind)) return;
  const compiled = conditionOf(kind, settings.condition);
  if ('faults' in compiled) throw RpcError.invalid(faultText(compiled.faults));
}

function textFault({ name, group, tags, public_name, note }: Settings): string | undefined {
  if (name.trim() !== name || name === '') return 'name must not begin or end with a space';
  if (/\p{Cc}/u.test(name)) return 'name must not hold control characters';
  return [group, public_name, note, ...tags].some((text) => text?.includes('\0'))
    ? 'texts must not hold the character U+0000'
    : undefined;
}

function checkedFault(kind: Kind, settings: Settings, least_s: number): string | undefined {
  const { interval_s, timeout_s, places, down_when } = settings;
  const count = placeCount(places);
  if (count === 0) return 'places: name server, agents or tags';
  if (places.pick !== undefined && !places.agents && !places.tags)
    return 'places: pick chooses among agents or tags: name some';
  if (places.server && interval_s < least_s)
    return `interval_s must be at least ${least_s} (min_interval_s under [monitor])`;
  if (kind === 'domain' && interval_s < LEAST_DOMAIN_S)
    return `interval_s must be at least ${LEAST_DOMAIN_S} for domains: registries are asked rarely`;
  if (kind === 'domain' && !(places.server && count === 1))
    return 'places: domains are looked up by the server only';
  if (timeout_s > interval_s) return 'timeout_s must not be longer than interval_s';
  return down_when !== null && down_when > count
    ? `down_when must be at most ${count}, which is how many places check it`
    : undefined;
}

function calledFault(kind: Kind, { condition, upside_down, down_when }: Settings) {
  if (condition !== null) return `condition: monitors of the kind ${kind} have none`;
  if (upside_down) return `upside_down: monitors of the kind ${kind} cannot be turned upside down`;
  return down_when === null ? undefined : `down_when: monitors of the kind ${kind} have one place`;
}

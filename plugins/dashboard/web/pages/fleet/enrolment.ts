import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type Server, useMachines, usePoll, useServer } from '../../frame/index.ts';
import { useWork } from '../../parts/index.ts';
import { tagsIn } from '../../parts/tag-list.ts';

const HOUR_S = 3_600;
/** Seconds that a code may hold, as choices. */
export const LENGTHS = [HOUR_S, 24 * HOUR_S, 7 * 24 * HOUR_S];

export interface Made {
  readonly id: number;
  readonly expires_at: number;
  /** The machines' tokens end then; null: never, undefined: an older server. */
  readonly machines_until?: number | null;
  readonly line: string;
  readonly wget_line: string;
  /** Fingerprint of the key that signs what machines are given; undefined: an older server. */
  readonly key?: string;
  /** Obstacle between machines and the address in the line; undefined: an older server. */
  readonly obstacle?: Obstacle | null;
}

export interface Obstacle {
  readonly kind: 'loopback' | 'listener' | 'host';
  readonly listens: string;
  readonly address: string;
  readonly name: string;
}

/** Tells whether the token may bring a machine into the fleet. */
export const mayAdd = (server: Server) =>
  server.has('enrol') && server.may('enrol_create', {}) !== false;

/** State of the dialog: open or not. It belongs to the page: the button that opened it goes with the first machine, or with the step that it was. */
export const isAdding = signal(false);

/** Wishes for a code: what machines that use it are called, how many may, and how long. */
interface Wishes {
  readonly name: string;
  readonly tags: string;
  readonly uses: string;
  /** Seconds. */
  readonly holds: string;
}

const FIRST: Wishes = { name: '', tags: '', uses: '1', holds: String(HOUR_S) };

/** Draft of a code. Only a code for one machine can name it. */
export function useWishes(onMade: (made: Made) => void) {
  const { call, origin: url } = useServer();
  const [wishes, setWishes] = useState<Wishes>(FIRST);
  const isOne = wishes.uses.trim() === '1';
  const make = useWork(async () => {
    const name = wishes.name.trim();
    const params = {
      ...(isOne && name !== '' && { name }),
      tags: tagsIn(wishes.tags),
      seconds: Number(wishes.holds),
      uses: Number(wishes.uses),
      url,
    };
    onMade((await call('enrol_create', params)) as Made);
  });
  const change = (part: Partial<Wishes>) => setWishes((old) => ({ ...old, ...part }));
  return { wishes, change, isOne, make };
}

const EVERY_MS = 2_000;

/** Machines that have used a code, and the newest of them. */
export function useArrivals(id: number) {
  const { call } = useServer();
  const { refresh } = useMachines();
  const codes = usePoll(`enrol ${id}`, () => call('enrol_list'), { every_ms: EVERY_MS });
  const code = codes.data?.find((one) => one.id === id);
  const used = code?.used ?? 0;
  useEffect(() => {
    if (used > 0) void refresh();
  }, [used]);
  return { used, uuid: code?.last_agent };
}

/**
 * Tells whether the line uses plain HTTP, but within one machine: anyone in between can replace the server's installer with
 * another one.
 */
export const isOpenWay = (line: string) => /\shttp:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(line);

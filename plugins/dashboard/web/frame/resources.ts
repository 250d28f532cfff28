import type { Subscription } from '@svc/client';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDenied } from '../parts/error-note.tsx';
import { useServer } from './server.ts';

/** State of something that is read from the server. After a failure the earlier data stay. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** `loading`: the first answer has not come. `offline`: no connection; the data are the last that came. */
  readonly state: 'loading' | 'ready' | 'error' | 'denied' | 'offline';
  /** Unix ms of the last answer. */
  readonly at: number | undefined;
  readonly refresh: () => void;
  /** Puts a changed value in at once, before the server's answer. */
  readonly set: (data: T) => void;
}

interface PollOptions {
  /** ms between the end of one call and the next one; without it the resource is read once, and by `refresh`. */
  readonly every_ms?: number;
}

/**
 * Reads something again and again while the page is visible, and at once after the connection has come back.
 * A change of `key` (an id, a filter) starts over and drops what is there.
 */
export function usePoll<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { every_ms }: PollOptions = {},
): Resource<T> {
  const { connection } = useServer();
  // A connection that breaks and comes back between two drawings has failed the calls that were waiting.
  const { state: line, turn } = connection.value;
  const isOpen = line === 'open';
  const [state, setState] = useState<{
    readonly key: string;
    readonly data?: T;
    readonly error?: unknown;
    readonly at?: number;
  }>({ key });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (!isOpen) return;
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      try {
        const data = await latest.current(end.signal);
        if (!end.signal.aborted) setState({ key, data, at: Date.now() });
      } catch (error) {
        if (!end.signal.aborted)
          setState((old) => ({ ...(old.key === key ? old : { key }), error }));
      }
      if (!end.signal.aborted && every_ms !== undefined && !document.hidden)
        timer = setTimeout(run, every_ms);
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (!document.hidden) void run();
    };
    void run();
    if (every_ms !== undefined) document.addEventListener('visibilitychange', onVisible);
    return () => {
      end.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, isOpen, turn, round, every_ms]);
  const mine = state.key === key ? state : { key };
  const { data, error, at } = mine as typeof state;
  return {
    data,
    error,
    at,
    state: stateOf(data, error, isOpen),
    refresh: () => setRound((count) => count + 1),
    set: (changed) => setState({ key, data: changed, at: Date.now() }),
  };
}

function stateOf(data: unknown, error: unknown, isOpen: boolean): Resource<unknown>['state'] {
  if (!isOpen) return data === undefined ? 'loading' : 'offline';
  if (error !== undefined) return isDenied(error) ? 'denied' : 'error';
  return data === undefined ? 'loading' : 'ready';
}

interface Live {
  /** `live` once the server has accepted. */
  readonly state: 'loading' | 'live' | 'error' | 'denied' | 'offline';
  readonly error: unknown;
  /** Items that were dropped because this page was slow. */
  readonly dropped: number;
}

/**
 * Follows a subscription while the component is shown; the client subscribes again after a break. `onItem` is called outside
 * of drawing: put what it learns into a signal, at most once in an animation frame. Without `subscribe` it is `denied`.
 */
export function useLive<T>(
  key: string,
  subscribe: (() => Subscription<T>) | undefined,
  onItem: (item: T) => void,
): Live {
  const { connection } = useServer();
  const [live, setLive] = useState<{
    readonly isReady: boolean;
    readonly error?: unknown;
    readonly dropped: number;
  }>({ isReady: false, dropped: 0 });
  const handler = useRef(onItem);
  handler.current = onItem;
  // Before the picture is made: the first items are on their way while the browser paints.
  useLayoutEffect(() => {
    let isOver = false;
    setLive({ isReady: false, dropped: 0 });
    if (!subscribe) return;
    const stream = subscribe();
    stream.ready.then(
      () => !isOver && setLive((old) => ({ ...old, isReady: true })),
      // The loop below ends with the same failure.
      () => undefined,
    );
    const follow = async () => {
      try {
        await stream.each(async (item) => {
          handler.current(item);
          if (stream.dropped > 0)
            setLive((old) =>
              old.dropped === stream.dropped ? old : { ...old, dropped: stream.dropped },
            );
        });
      } catch (error) {
        if (!isOver) setLive((old) => ({ ...old, error }));
      }
    };
    void follow();
    return () => {
      isOver = true;
      stream.close();
    };
  }, [key, subscribe === undefined]);
  const isOpen = connection.value.state === 'open';
  const { isReady, error, dropped } = live;
  const state =
    error !== undefined || !subscribe
      ? !subscribe || isDenied(error)
        ? 'denied'
        : 'error'
      : !isOpen
        ? isReady
          ? 'offline'
          : 'loading'
        : isReady
          ? 'live'
          : 'loading';
  return { state, error, dropped };
}

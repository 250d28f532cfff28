import type { ComponentChildren } from 'preact';
import { ErrorNote, Skeleton } from '../parts/index.ts';
import type { Resource } from './resources.ts';

interface Props<T> {
  readonly of: Resource<T>;
  /** Sentence on what could not be read: "The jobs could not be read." */
  readonly what?: string;
  readonly skeleton?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** Skeleton, failure or content. What was there before a failure stays below its note. */
export function Loaded<T>({ of, what, skeleton, children }: Props<T>) {
  const { data, error, state, refresh } = of;
  const hasFailed = state === 'error' || state === 'denied';
  return (
    <>
      {hasFailed && (
        <ErrorNote error={error} onRetry={refresh} {...(what !== undefined && { what })} />
      )}
      {data !== undefined ? (
        <div class={state === 'offline' ? 'is-stale' : 'is-fresh'}>{children(data)}</div>
      ) : (
        state === 'loading' && (skeleton ?? <Skeleton rows={5} />)
      )}
    </>
  );
}

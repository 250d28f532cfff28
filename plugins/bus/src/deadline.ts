import type { Clock } from '@svc/plugin-sdk';

/** The result of `work`. @throws when it takes longer than `limit_ms` */
export async function inTime<T>(clock: Clock, limit_ms: number, work: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const cancel = clock.timeout(
    () => limit.reject(new Error(`no answer within ${limit_ms} ms`)),
    limit_ms,
  );
  return Promise.race([work, limit.promise]).finally(cancel);
}

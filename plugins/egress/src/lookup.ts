import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** Address in a URL's host, if it is one; brackets removed. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/** Resolves like `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

export interface LookupOrder {
  readonly isAllowed: (address: string) => boolean;
  /** Error for a name without an allowed address. */
  readonly refused: (target: string) => Error;
  readonly resolve: Resolve | undefined;
}

/** Name resolution that returns allowed addresses only, right before the connection. */
export function guardedLookup({
  isAllowed,
  refused,
  resolve = lookup,
}: LookupOrder): LookupFunction {
  return (hostname, options: LookupOptions, done) => {
    resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const allowed = error ? [] : found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error) done(error, []);
      else if (!first) {
        const addresses = found.map(({ address }) => address).join(', ');
        done(refused(`${hostname} (${addresses})`), []);
      } else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** Returns allowed addresses of a host, which may be one. @throws Error where there are none */
export async function allowedAddresses(
  { host, family }: { readonly host: string; readonly family?: 4 | 6 | undefined },
  order: LookupOrder,
): Promise<LookupAddress[]> {
  const address = literalAddress(host);
  if (address === undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>();
    guardedLookup(order)(host, { all: true, ...(family && { family }) }, (error, found) => {
      if (error) reject(error);
      else resolve(found as LookupAddress[]);
    });
    return promise;
  }
  const own = isIP(address);
  if (family !== undefined && own !== family)
    throw new Error(`${address} is not an IPv${family} address`);
  if (!order.isAllowed(address)) throw order.refused(address);
  return [{ address, family: own }];
}

import { RpcError } from '@svc/plugin-sdk';
import type { Bucket, StaticBuckets } from '@svc/plugin-static-bucket/api';

/**
 * The bucket of a file method: name rule, then lookup (static-bucket.md §6).
 * @throws RpcError 108, 105
 */
export function bucketOf(buckets: StaticBuckets, name: string): Bucket {
  buckets.checkName(name);
  const bucket = buckets.get(name);
  if (!bucket) throw RpcError.notFound(`Static '${name}' not found`);
  return bucket;
}

/** The result of `work`. @throws when it takes longer than `limit_ms` */
export async function inTime<T>(limit_ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit_ms} ms`)), limit_ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

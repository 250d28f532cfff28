import { type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Rows of a statement, run where writes run. */
export const run = <Row>(
  on: QueryBuilder,
  text: string,
  params: readonly SqlValue[],
): Promise<Row[]> => rowsOf<Row>(on, { text, params });

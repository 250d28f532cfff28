import { RpcError } from './errors.ts';

/** What `rows` reads: both ends are included. */
export interface Range {
  /** ms since 1970. */
  readonly from: number;
  /** ms since 1970; now by default. */
  readonly to?: number;
  /** The time that counts: `timestamp` (reports, tasks; oldest first), `start_time` (results of scripts) or `run_time` (results of jobs; newest first). */
  readonly column?: 'timestamp' | 'start_time' | 'run_time';
  readonly signal?: AbortSignal;
}

type Row = Readonly<Record<string, unknown>>;
type Window = readonly [from: number, to: number];

const TOO_BIG = -32008;

/**
 * Every row between two times. One answer holds a limited number of rows and says nothing of the rest: the next one
 * begins at the time of the last row, without the rows of that time that were there already. A window whose answer
 * would be too big is halved.
 */
export async function* rowsBetween(
  ask: (window: Window) => Promise<readonly Row[]>,
  { from, to = Date.now(), column = 'timestamp' }: Range,
): AsyncGenerator<Row, void> {
  const isUp = column === 'timestamp';
  /** The next one stands last. */
  const windows: Window[] = [[from, to]];
  let known = 0;
  for (let window = windows.pop(); window; window = windows.pop()) {
    const [low, high] = window;
    if (low > high) continue;
    const rows = await ask(window).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === TOO_BIG) || low === high) throw error;
      const middle = Math.floor((low + high) / 2);
      const halves: Window[] = [
        [low, middle],
        [middle + 1, high],
      ];
      windows.push(...(isUp ? halves.reverse() : halves));
    });
    if (!rows) continue;
    const isNew = rows.length > known;
    yield* rows.slice(known);
    const last = rows.at(-1)?.[column] as number;
    known = rows[0]?.[column] === last ? 0 : rows.filter((row) => row[column] === last).length;
    const step = known > 0 ? 0 : 1;
    if (isNew) windows.push(isUp ? [last + step, high] : [low, last - step]);
  }
}

/** The parameters with one more condition: in the member that holds a list of conditions. */
export function withCondition(params: Row, condition: Row): Row {
  for (const [name, value] of Object.entries(params)) {
    const list = name === 'condition' ? value : (value as Row | undefined)?.['condition'];
    if (!Array.isArray(list)) continue;
    const longer = [...list, condition];
    return {
      ...params,
      [name]: name === 'condition' ? longer : { ...(value as Row), condition: longer },
    };
  }
  throw new TypeError('rows: the parameters hold no list named condition');
}

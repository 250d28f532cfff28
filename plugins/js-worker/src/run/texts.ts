import type { Outcome } from '@svc/plugin-script-quickjs/api';

/** Way in which a run is executed; it decides the beginning of its failure's text (js-worker.md §5.2). */
export type Execution = 'pooled' | 'source' | 'inline';

const FAILED = 'JavaScript runtime execution failed: ';
const prefixes: { readonly [execution in Execution]: string } = {
  pooled: FAILED,
  source: `${FAILED}JavaScript execution error: `,
  inline: `Other error: ${FAILED}`,
};

export const failureText = (execution: Execution, detail: string): string =>
  prefixes[execution] + detail;

export const failure = (detail: string): Outcome => ({ kind: 'failure', detail, late: false });

/** The description of a response that `js-worker_run` records (worker-route.md §6). */
export function responseJson({
  status,
  headers,
  body,
}: Extract<Outcome, { kind: 'response' }>): string {
  const named = headers
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const body_base64 = Buffer.from(bytes ?? []).toString('base64');
  return JSON.stringify({ status, headers: named, body_base64 });
}

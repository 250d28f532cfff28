import { isRefusal, isShortage, isSilence, sentenceOf, shown } from './errors.ts';
import { checkDns } from './kinds/dns.ts';
import { checkDomain } from './kinds/domain.ts';
import { checkHttp } from './kinds/http.ts';
import { checkPing } from './kinds/ping.ts';
import { checkTcp } from './kinds/tcp.ts';
import { checkTls } from './kinds/tls.ts';
import { type Measurement, since } from './measurement.ts';
import type { Network } from './network.ts';
import { watchPauses } from './pauses.ts';
import type { CheckSpec, Clock, Outcome } from './types.ts';

const SAMPLE_CHARACTERS = 300;
const OVER = new Error('the check is over');

export interface RunOptions {
  readonly network: Network;
  readonly timeout_ms: number;
  /** Stops the check. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Authorities (PEM) that are trusted beside those of Node. One list should be one object: what was made of it is kept. */
  readonly roots?: readonly string[];
  /** Header `user-agent` of HTTP requests. */
  readonly user_agent?: string;
}

/** Runs one check. It ends by its deadline and leaves nothing open; whatever the target does is an outcome, never an error. */
export async function run(spec: CheckSpec, options: RunOptions): Promise<Outcome> {
  const wasPaused = watchPauses(options.clock);
  const outcome = await runOnce(spec, options);
  return wasPaused() ? { ...outcome, wasPaused: true } : outcome;
}

async function runOnce(spec: CheckSpec, options: RunOptions): Promise<Outcome> {
  const { network, timeout_ms, signal, clock, roots, user_agent = 'svc-checks' } = options;
  const end = new AbortController();
  const means = { network, clock, signal: end.signal, roots, user_agent };
  const measured: Measurement = { ...means, values: {}, waitsFor: 'the network' };
  const begun = clock.monotonic();
  const late = () =>
    end.abort(new Error(`timed out after ${timeout_ms / 1000} s: no ${measured.waitsFor}`));
  const cancel = clock.timeout(late, timeout_ms);
  const stop = () => end.abort(new Error('the check was stopped'));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await untilAborted(end.signal, () => check(spec, measured));
    if (measured.ms === undefined) measured.ms = since(begun, measured);
    const heard = measured.ms === null ? ({ heard: 'nothing' } as const) : {};
    return { ...outcomeOf(measured), ...heard };
  } catch (error) {
    return failed(measured, error, end.signal.aborted);
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    // Without a reason Node makes one, with a trace of the stack.
    end.abort(OVER);
  }
}

async function check(spec: CheckSpec, measured: Measurement): Promise<void> {
  switch (spec.kind) {
    case 'http':
      return checkHttp(spec, measured);
    case 'tcp':
      return checkTcp(spec, measured);
    case 'ping':
      return checkPing(spec, measured);
    case 'dns':
      return checkDns(spec, measured);
    case 'tls':
      return checkTls(spec, measured);
    case 'domain':
      return checkDomain(spec, measured);
  }
}

/** Waits for the work, at most until the signal aborts: work that cannot be ended, such as a look-up, may go on for a while. */
function untilAborted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}

/** Outcome of a check that broke off, by its deadline or an error. */
function failed(measured: Measurement, error: unknown, isLate: boolean): Outcome {
  const { hasContact = false, isUnknown } = measured;
  const isAnswer = hasContact ? !isLate : isRefusal(error);
  const isNothing = !hasContact && (isLate || isSilence(error));
  const heard = isNothing ? 'nothing' : isAnswer ? undefined : 'unclear';
  return {
    ...outcomeOf(measured),
    ...(heard && { heard }),
    ...((isUnknown || isShortage(error)) && { isUnknown: true }),
    error: shown(sentenceOf(error), SAMPLE_CHARACTERS),
  };
}

/** Copies what was measured: work that goes on changes no outcome. */
function outcomeOf(measured: Measurement): Outcome {
  const { values, ms, code, isUnknown, summary, certificate, sample } = measured;
  return {
    values: { ...values, ...(typeof ms === 'number' && { ms }) },
    ms: ms ?? null,
    code: code ?? null,
    ...(isUnknown && { isUnknown }),
    ...(summary === undefined ? {} : { summary }),
    ...(certificate && { certificate }),
    ...(sample === undefined ? {} : { sample: shown(sample, SAMPLE_CHARACTERS) }),
  };
}

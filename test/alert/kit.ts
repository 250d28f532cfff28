import type { TestApp } from '@svc/plugin-sdk/testing';
import { summaryReport } from '../protocol/agent-kit.ts';

export const PLUGINS = [
  'token',
  'kv',
  'agent-uuid',
  'agent',
  'agent-events',
  'task',
  'egress',
  'notify',
  'alert',
];

/** One summary of a machine, of now. */
export const report = (app: TestApp, uuid: string, over: object = {}): Promise<unknown> =>
  app.call('agent_report_dynamic_summary', [
    app.superToken,
    summaryReport({ uuid, time: app.clock.now(), ...over }),
  ]);

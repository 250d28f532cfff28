import { RpcError } from '@svc/plugin-sdk';
import type { AgentSeries, Figure, Traffic } from './api.ts';
import { FIELDS } from './fields.ts';
import { type MethodParts, planFor } from './methods.ts';
import type { TrafficStore } from './store/traffic.ts';
import { dayOf, monthOf } from './traffic/days.ts';
import { sumOf } from './traffic/methods.ts';
import type { PlanOf } from './traffic/plans.ts';

/** Days that a month and a bit have. */
const MONTH_DAYS = 31;

export interface ServiceParts extends Omit<MethodParts, 'registry'> {
  readonly traffic: TrafficStore;
  readonly planOf: PlanOf;
}

export function openSeries(parts: ServiceParts): AgentSeries {
  const { traffic, planOf, reader } = parts;
  return {
    async traffic(agents, now) {
      const ids = agents.map(({ id }) => id);
      const today = dayOf(now);
      const range = { first: today - MONTH_DAYS, end: today + 1 };
      const days = Map.groupBy(await traffic.days(ids, range, {}), ({ id }) => id);
      const counted = await traffic.counters(ids);
      const found = new Map<number, Traffic>();
      for (const { id, uuid } of agents) {
        if (!counted.has(id)) continue;
        const month = monthOf(today, planOf(uuid).monthDay);
        const bytesFrom = (first: number) =>
          sumOf(
            (days.get(id) ?? []).flatMap(({ day, received, transmitted }) =>
              day >= first ? [received, transmitted] : [],
            ),
          );
        found.set(id, { day: bytesFrom(today), month: bytesFrom(month) });
      }
      return found;
    },
    async figures({ id, uuid }, names, range, signal) {
      const fields = FIELDS.filter(({ name, part }) => !part && names.includes(name));
      if (fields.length === 0) throw RpcError.invalid('name a figure of summaries');
      const agents = [{ id, uuid }];
      const plan = await planFor(parts, agents, fields, { ...range, source: undefined });
      const series = await reader.fill({ plan, fields, agents, signal, share: 'alert' });
      const figures = new Map<string, Figure>();
      for (const field of fields) figures.set(field.name, series.of(uuid, field, ''));
      return { from: plan.from, step_ms: plan.step_ms, figures };
    },
  };
}

import { canonicalUuid, type Static, Type, Uuid } from '@svc/plugin-sdk';

const GB = 1_000_000_000;

const MonthDay = (default_: number | undefined) =>
  Type.Integer({
    minimum: 1,
    maximum: 28,
    ...(default_ !== undefined && { default: default_ }),
    description: "Day on which the month of an agent's traffic begins, UTC.",
  });
const Quota = (default_: number | undefined) =>
  Type.Integer({
    minimum: 0,
    maximum: 9_000_000,
    ...(default_ !== undefined && { default: default_ }),
    description: 'Traffic that an agent may have in a month, GB of 10^9 bytes; 0: no quota.',
  });

/** Keys of the section `[series]` for traffic. */
export const trafficKeys = {
  keep_traffic_days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 800,
    description: 'Days that the traffic of agents is kept.',
  }),
  traffic_month_day: MonthDay(1),
  traffic_quota_gb: Quota(0),
  traffic_plans: Type.Array(
    Type.Object({
      agent: Uuid,
      month_day: Type.Optional(MonthDay(undefined)),
      quota_gb: Type.Optional(Quota(undefined)),
    }),
    {
      default: [],
      description: 'The same two for single agents; what an entry leaves out is as for all.',
    },
  ),
};

export type TrafficConfig = {
  readonly [K in keyof typeof trafficKeys]: Static<(typeof trafficKeys)[K]>;
};

export interface Plan {
  readonly monthDay: number;
  /** Bytes. */
  readonly quota: number | undefined;
}
export type PlanOf = (uuid: string) => Plan;

/** Reads the configuration anew each time: a reload changes it. */
export const plansOf =
  (config: TrafficConfig): PlanOf =>
  (uuid) => {
    const own = config.traffic_plans.find(({ agent }) => canonicalUuid(agent) === uuid);
    const quota_gb = own?.quota_gb ?? config.traffic_quota_gb;
    return {
      monthDay: own?.month_day ?? config.traffic_month_day,
      quota: quota_gb > 0 ? quota_gb * GB : undefined,
    };
  };

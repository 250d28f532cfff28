import { service, Type, topic } from '@svc/plugin-sdk';

export * from './types.ts';

/** Rules were made, changed, switched or deleted. */
export const AlertChanged = topic('alert.changed', Type.Object({}));

/** Alerts changed their state, at most 200 at a time; states are 0 closed, 1 pending, 2 open, 3 clearing. */
export const AlertTransition = topic(
  'alert.transition',
  Type.Object({
    changes: Type.Array(
      Type.Object({
        id: Type.Integer(),
        rule_id: Type.Integer(),
        subject_kind: Type.String(),
        subject_id: Type.String(),
        part: Type.String(),
        from: Type.Integer(),
        to: Type.Integer(),
        at: Type.Integer({ description: 'Unix ms.' }),
        episode: Type.Integer(),
      }),
    ),
  }),
);

/** Alerts were acknowledged, or what is said of them became different. */
export const AlertTouched = topic(
  'alert.touched',
  Type.Object({ ids: Type.Array(Type.Integer()) }),
);

/** Machine, by its UUID, or monitor, by its name. */
export interface Maintained {
  readonly kind: 'agent' | 'monitor';
  readonly id: string;
}

/** One time at which a maintenance window holds. */
export interface PublicWindow {
  readonly name: string;
  /** Unix ms. */
  readonly from: number;
  readonly to: number;
  /** Tells whether the window is about this one: its scope names it, or a tag of it. */
  readonly isAbout: (one: Maintained) => boolean;
}

/** Maintenance windows that their owners show on status pages, from memory. */
export interface MaintenanceWindows {
  /** Windows that hold now. */
  active(slug: string, now: number): readonly PublicWindow[];
  /** The next time of each window that begins within a fortnight. */
  upcoming(slug: string, now: number): readonly PublicWindow[];
}

export const MaintenanceWindows = service<MaintenanceWindows>('maintenance-windows');

/** Alerts as a whole. */
export interface Alerts {
  /**
   * Has nothing told that was still to be told in a database that was just restored from a copy: it may have been told long ago.
   * @returns of how many openings and ends; undefined: it has no alerts @throws RpcError 103
   */
  restored(): Promise<number | undefined>;
}

export const Alerts = service<Alerts>('alerts');

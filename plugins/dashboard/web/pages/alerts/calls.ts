// Types of the calls of channels and alerts, until the client has them (client/src/methods.ts).
export {};

declare module '../../../../../client/src/methods.ts' {
  /** Calls: what the parameters hold beside the credential, and the result. */
  interface Methods {
    /** ack */
    alert_ack: {
      params: {
        /** id */
        id: number;
        /** t */
        note?: string | null;
        /** Unix ms. */
        until?: number | null;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        rule: string;
        rule_id: number;
        severity: 'info' | 'warning' | 'critical';
        state: 'pending' | 'open' | 'clearing' | 'closed';
        subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
        part: string;
        episode: number;
        /** Unix ms. */
        since: number;
        /** Unix ms. */
        opened_at: number | null;
        /** Unix ms. */
        closed_at: number | null;
        value: number | null;
        /** The value as people read it: `96.2 %`. */
        value_text: string;
        /** What it was compared with: `> 90`. */
        threshold: string;
        summary: string;
        acked_by: string | null;
        /** Unix ms. */
        acked_at: number | null;
        /** Unix ms. */
        acked_until: number | null;
        ack_note: string | null;
        /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
        hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
        /** Channels that heard of it. */
        told: string[];
        flapping: boolean;
        /** Alerts that this one suppresses. */
        below: number;
      };
    };
    /** close */
    alert_close: {
      params: {
        /** id */
        id: number;
        /** t */
        note?: string | null;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        rule: string;
        rule_id: number;
        severity: 'info' | 'warning' | 'critical';
        state: 'pending' | 'open' | 'clearing' | 'closed';
        subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
        part: string;
        episode: number;
        /** Unix ms. */
        since: number;
        /** Unix ms. */
        opened_at: number | null;
        /** Unix ms. */
        closed_at: number | null;
        value: number | null;
        /** The value as people read it: `96.2 %`. */
        value_text: string;
        /** What it was compared with: `> 90`. */
        threshold: string;
        summary: string;
        acked_by: string | null;
        /** Unix ms. */
        acked_at: number | null;
        /** Unix ms. */
        acked_until: number | null;
        ack_note: string | null;
        /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
        hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
        /** Channels that heard of it. */
        told: string[];
        flapping: boolean;
        /** Alerts that this one suppresses. */
        below: number;
      };
    };
    /** get */
    alert_get: {
      params: {
        /** id */
        id: number;
      };
      result: {
        alert: {
          id: number;
          /** Name that people read; unique. */
          rule: string;
          rule_id: number;
          severity: 'info' | 'warning' | 'critical';
          state: 'pending' | 'open' | 'clearing' | 'closed';
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          episode: number;
          /** Unix ms. */
          since: number;
          /** Unix ms. */
          opened_at: number | null;
          /** Unix ms. */
          closed_at: number | null;
          value: number | null;
          /** The value as people read it: `96.2 %`. */
          value_text: string;
          /** What it was compared with: `> 90`. */
          threshold: string;
          summary: string;
          acked_by: string | null;
          /** Unix ms. */
          acked_at: number | null;
          /** Unix ms. */
          acked_until: number | null;
          ack_note: string | null;
          /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
          hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
          /** Channels that heard of it. */
          told: string[];
          flapping: boolean;
          /** Alerts that this one suppresses. */
          below: number;
        };
        rule: {
          id: number;
          /** Name that people read; unique. */
          name: string;
          /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
          source: 'machine' | 'part' | 'presence' | 'event' | 'server';
          /** `{"all": true}`, or lists of which one must match. */
          scope: {
            /** All that the owner may read. */
            all?: true;
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
          };
          /** Condition in CEL, for example `cpu_usage > 90`. */
          condition: string;
          clear: string | null;
          for_s: number;
          clear_for_s: number;
          severity: 'info' | 'warning' | 'critical';
          enable: boolean;
          notify: boolean;
          policy: string | null;
          repeat_s: number | null;
          summary: string;
          runbook: string;
          labels: { [name: string]: string };
          /** Id of the default rule it came from. */
          shipped: string | null;
          /** Key of the token that wrote it; null: the Super Token. */
          owner: string | null;
          /** Unix ms. */
          updated_at: number;
          /** Why it does not run: its condition, its owner, or a plugin that is off. */
          problem: string | null;
          /** Open alerts. */
          open: number;
        } | null;
        events: {
          id: number;
          alert_id: number;
          rule: string;
          severity: 'info' | 'warning' | 'critical';
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          episode: number;
          /** Unix ms. */
          at: number;
          kind:
            | 'opened'
            | 'closed'
            | 'expired'
            | 'acked'
            | 'unacked'
            | 'suppressed'
            | 'reminded'
            | 'flapping'
            | 'note';
          by: string | null;
          detail: { [name: string]: unknown };
        }[];
        deliveries: unknown[];
      };
    };
    /** history */
    alert_history: {
      params: {
        /** a */
        agents?: string[] | null;
        /** t */
        rule?: string | null;
        /** k */
        kinds?: string[] | null;
        /** Unix ms. */
        from?: number | null;
        /** Unix ms. */
        to?: number | null;
        /** id */
        limit?: number | null;
      };
      result: {
        id: number;
        alert_id: number;
        rule: string;
        severity: 'info' | 'warning' | 'critical';
        subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
        part: string;
        episode: number;
        /** Unix ms. */
        at: number;
        kind:
          | 'opened'
          | 'closed'
          | 'expired'
          | 'acked'
          | 'unacked'
          | 'suppressed'
          | 'reminded'
          | 'flapping'
          | 'note';
        by: string | null;
        detail: { [name: string]: unknown };
      }[];
    };
    /** list */
    alert_list: {
      params: {
        /** s */
        state?: 'open' | 'all' | null;
        /** a */
        agents?: string[] | null;
        /** id */
        limit?: number | null;
      };
      result: {
        alerts: {
          id: number;
          /** Name that people read; unique. */
          rule: string;
          rule_id: number;
          severity: 'info' | 'warning' | 'critical';
          state: 'pending' | 'open' | 'clearing' | 'closed';
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          episode: number;
          /** Unix ms. */
          since: number;
          /** Unix ms. */
          opened_at: number | null;
          /** Unix ms. */
          closed_at: number | null;
          value: number | null;
          /** The value as people read it: `96.2 %`. */
          value_text: string;
          /** What it was compared with: `> 90`. */
          threshold: string;
          summary: string;
          acked_by: string | null;
          /** Unix ms. */
          acked_at: number | null;
          /** Unix ms. */
          acked_until: number | null;
          ack_note: string | null;
          /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
          hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
          /** Channels that heard of it. */
          told: string[];
          flapping: boolean;
          /** Alerts that this one suppresses. */
          below: number;
        }[];
        counts: { critical: number; warning: number; info: number; unacked: number };
        /** Unix ms. */
        last_closed_at: number | null;
      };
    };
    /** note */
    alert_note: {
      params: {
        /** id */
        id: number;
        /** t */
        text: string;
      };
      result: {
        id: number;
        alert_id: number;
        rule: string;
        severity: 'info' | 'warning' | 'critical';
        subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
        part: string;
        episode: number;
        /** Unix ms. */
        at: number;
        kind:
          | 'opened'
          | 'closed'
          | 'expired'
          | 'acked'
          | 'unacked'
          | 'suppressed'
          | 'reminded'
          | 'flapping'
          | 'note';
        by: string | null;
        detail: { [name: string]: unknown };
      };
    };
    /** policy_delete */
    alert_policy_delete: {
      params: {
        /** Name that people read; unique. */
        name: string;
      };
      result: { success: boolean };
    };
    /** policy_list */
    alert_policy_list: {
      params: {};
      result: {
        /** Name that people read; unique. */
        name: string;
        steps: {
          /** Seconds after the opening, while nobody has acknowledged it. */
          after_s: number;
          /** Channels, by name. */
          channels: string[];
        }[];
        /** Default: `rule`. */
        group_by?: 'rule' | 'subject' | 'severity' | 'all' | null;
        /** Seconds that the first alert of a group waits. Default: 10. */
        wait_s?: number | null;
        /** Seconds between two messages of a group. Default: 60. */
        interval_s?: number | null;
        /** Seconds until it is told again. Default: critical 14400. */
        repeat_s?: { info?: number; warning?: number; critical?: number } | null;
        /** Hours in which only critical alerts are told. */
        quiet?: { from: string; to: string; zone: string } | null;
        /** Default: true. */
        send_close?: boolean | null;
      }[];
    };
    /** policy_set */
    alert_policy_set: {
      params: {
        /** x */
        policy: {
          /** Name that people read; unique. */
          name: string;
          steps: {
            /** Seconds after the opening, while nobody has acknowledged it. */
            after_s: number;
            /** Channels, by name. */
            channels: string[];
          }[];
          /** Default: `rule`. */
          group_by?: 'rule' | 'subject' | 'severity' | 'all' | null;
          /** Seconds that the first alert of a group waits. Default: 10. */
          wait_s?: number | null;
          /** Seconds between two messages of a group. Default: 60. */
          interval_s?: number | null;
          /** Seconds until it is told again. Default: critical 14400. */
          repeat_s?: { info?: number; warning?: number; critical?: number } | null;
          /** Hours in which only critical alerts are told. */
          quiet?: { from: string; to: string; zone: string } | null;
          /** Default: true. */
          send_close?: boolean | null;
        };
      };
      result: {
        /** Name that people read; unique. */
        name: string;
        steps: {
          /** Seconds after the opening, while nobody has acknowledged it. */
          after_s: number;
          /** Channels, by name. */
          channels: string[];
        }[];
        /** Default: `rule`. */
        group_by?: 'rule' | 'subject' | 'severity' | 'all' | null;
        /** Seconds that the first alert of a group waits. Default: 10. */
        wait_s?: number | null;
        /** Seconds between two messages of a group. Default: 60. */
        interval_s?: number | null;
        /** Seconds until it is told again. Default: critical 14400. */
        repeat_s?: { info?: number; warning?: number; critical?: number } | null;
        /** Hours in which only critical alerts are told. */
        quiet?: { from: string; to: string; zone: string } | null;
        /** Default: true. */
        send_close?: boolean | null;
      };
    };
    /** rule_check */
    alert_rule_check: {
      params: {
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** t */
        condition: string;
        /** `{"all": true}`, or lists of which one must match. */
        scope?: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        } | null;
      };
      result: {
        valid: boolean;
        errors: { message: string; from: number; to: number; nearest?: string }[];
        variables: string[];
        matches: number;
        true_now: number;
      };
    };
    /** rule_create */
    alert_rule_create: {
      params: {
        /** x */
        rule: {
          /** Name that people read; unique. */
          name: string;
          /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
          source: 'machine' | 'part' | 'presence' | 'event' | 'server';
          /** `{"all": true}`, or lists of which one must match. */
          scope: {
            /** All that the owner may read. */
            all?: true;
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
          };
          /** Condition in CEL, for example `cpu_usage > 90`. */
          condition: string;
          /** Condition under which an open alert ends. Default: that `condition` does not hold. */
          clear?: string | null;
          /** Seconds for which it must hold before it opens. Default: 0. */
          for_s?: number | null;
          /** Seconds for which `clear` must hold. Default: 0. */
          clear_for_s?: number | null;
          /** Default: `warning`. */
          severity?: 'info' | 'warning' | 'critical' | null;
          /** Default: true. */
          enable?: boolean | null;
          /** False: it shows in the dashboard and is not sent. Default: true. */
          notify?: boolean | null;
          /** Default: `default`. */
          policy?: string | null;
          /** Seconds until it is told again. Default: as the policy says. */
          repeat_s?: number | null;
          /** Text with `{{subject.name}}` and the like. */
          summary?: string | null;
          /** Address of instructions. */
          runbook?: string | null;
          labels?: { [name: string]: string } | null;
        };
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      };
    };
    /** rule_delete */
    alert_rule_delete: {
      params: {
        /** Name that people read; unique. */
        name: string;
      };
      result: { success: boolean };
    };
    /** rule_get */
    alert_rule_get: {
      params: {
        /** Name that people read; unique. */
        name: string;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      };
    };
    /** rule_list */
    alert_rule_list: {
      params: {};
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      }[];
    };
    /** rule_reset */
    alert_rule_reset: {
      params: {
        /** Name that people read; unique. */
        name: string;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      };
    };
    /** rule_set_enable */
    alert_rule_set_enable: {
      params: {
        /** Name that people read; unique. */
        name: string;
        /** e */
        enable: boolean;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      };
    };
    /** rule_test */
    alert_rule_test: {
      params: {
        /** x */
        rule: {
          /** Name that people read; unique. */
          name: string;
          /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
          source: 'machine' | 'part' | 'presence' | 'event' | 'server';
          /** `{"all": true}`, or lists of which one must match. */
          scope: {
            /** All that the owner may read. */
            all?: true;
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
          };
          /** Condition in CEL, for example `cpu_usage > 90`. */
          condition: string;
          /** Condition under which an open alert ends. Default: that `condition` does not hold. */
          clear?: string | null;
          /** Seconds for which it must hold before it opens. Default: 0. */
          for_s?: number | null;
          /** Seconds for which `clear` must hold. Default: 0. */
          clear_for_s?: number | null;
          /** Default: `warning`. */
          severity?: 'info' | 'warning' | 'critical' | null;
          /** Default: true. */
          enable?: boolean | null;
          /** False: it shows in the dashboard and is not sent. Default: true. */
          notify?: boolean | null;
          /** Default: `default`. */
          policy?: string | null;
          /** Seconds until it is told again. Default: as the policy says. */
          repeat_s?: number | null;
          /** Text with `{{subject.name}}` and the like. */
          summary?: string | null;
          /** Address of instructions. */
          runbook?: string | null;
          labels?: { [name: string]: string } | null;
        };
        /** Unix ms. */
        from: number;
        /** Unix ms. */
        to: number;
        /** a */
        agents?: string[] | null;
      };
      result: {
        episodes: {
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          /** Unix ms. */
          opened_at: number;
          /** Unix ms. */
          closed_at: number | null;
          max: number | null;
        }[];
        messages: number;
        evaluated: number;
        source: 'raw' | 'minutes';
        cut: boolean;
      };
    };
    /** rule_update */
    alert_rule_update: {
      params: {
        /** Name that people read; unique. */
        name: string;
        /** x */
        change: {
          /** Name that people read; unique. */
          name?: string;
          /** `{"all": true}`, or lists of which one must match. */
          scope?: {
            /** All that the owner may read. */
            all?: true;
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
          };
          /** Condition in CEL, for example `cpu_usage > 90`. */
          condition?: string;
          /** Condition under which an open alert ends. Default: that `condition` does not hold. */
          clear?: string | null;
          /** Seconds for which it must hold before it opens. Default: 0. */
          for_s?: number | null;
          /** Seconds for which `clear` must hold. Default: 0. */
          clear_for_s?: number | null;
          /** Default: `warning`. */
          severity?: 'info' | 'warning' | 'critical' | null;
          /** Default: true. */
          enable?: boolean | null;
          /** False: it shows in the dashboard and is not sent. Default: true. */
          notify?: boolean | null;
          /** Default: `default`. */
          policy?: string | null;
          /** Seconds until it is told again. Default: as the policy says. */
          repeat_s?: number | null;
          /** Text with `{{subject.name}}` and the like. */
          summary?: string | null;
          /** Address of instructions. */
          runbook?: string | null;
          labels?: { [name: string]: string } | null;
        };
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
        /** `{"all": true}`, or lists of which one must match. */
        scope: {
          /** All that the owner may read. */
          all?: true;
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
        };
        /** Condition in CEL, for example `cpu_usage > 90`. */
        condition: string;
        clear: string | null;
        for_s: number;
        clear_for_s: number;
        severity: 'info' | 'warning' | 'critical';
        enable: boolean;
        notify: boolean;
        policy: string | null;
        repeat_s: number | null;
        summary: string;
        runbook: string;
        labels: { [name: string]: string };
        /** Id of the default rule it came from. */
        shipped: string | null;
        /** Key of the token that wrote it; null: the Super Token. */
        owner: string | null;
        /** Unix ms. */
        updated_at: number;
        /** Why it does not run: its condition, its owner, or a plugin that is off. */
        problem: string | null;
        /** Open alerts. */
        open: number;
      };
    };
    /** rule_variables */
    alert_rule_variables: {
      params: {
        /** `machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. */
        source: 'machine' | 'part' | 'presence' | 'event' | 'server';
      };
      result: { name: string; type: string; unit: string; title: string; example?: string }[];
    };
    /** silence_create */
    alert_silence_create: {
      params: {
        /** x */
        silence: {
          /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
          scope: {
            /** Rules, by name. */
            rules?: string[];
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
            severity?: 'info' | 'warning' | 'critical';
          };
          reason: string;
          /** Unix ms. Default: now. */
          starts_at?: number | null;
          /** Unix ms, at most a year from now. */
          ends_at: number;
        };
      };
      result: {
        id: number;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        reason: string;
        created_by: string | null;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        starts_at: number;
        /** Unix ms. */
        ends_at: number;
        ended_by: string | null;
        /** Open alerts that it hides now. */
        hides: number;
      };
    };
    /** silence_end */
    alert_silence_end: {
      params: {
        /** id */
        id: number;
      };
      result: {
        id: number;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        reason: string;
        created_by: string | null;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        starts_at: number;
        /** Unix ms. */
        ends_at: number;
        ended_by: string | null;
        /** Open alerts that it hides now. */
        hides: number;
      };
    };
    /** silence_list */
    alert_silence_list: {
      params: {
        /** p */
        past?: boolean | null;
      };
      result: {
        id: number;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        reason: string;
        created_by: string | null;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        starts_at: number;
        /** Unix ms. */
        ends_at: number;
        ended_by: string | null;
        /** Open alerts that it hides now. */
        hides: number;
      }[];
    };
    /** silence_preview */
    alert_silence_preview: {
      params: {
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
      };
      result: {
        hides: number;
        alerts: {
          id: number;
          /** Name that people read; unique. */
          rule: string;
          rule_id: number;
          severity: 'info' | 'warning' | 'critical';
          state: 'pending' | 'open' | 'clearing' | 'closed';
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          episode: number;
          /** Unix ms. */
          since: number;
          /** Unix ms. */
          opened_at: number | null;
          /** Unix ms. */
          closed_at: number | null;
          value: number | null;
          /** The value as people read it: `96.2 %`. */
          value_text: string;
          /** What it was compared with: `> 90`. */
          threshold: string;
          summary: string;
          acked_by: string | null;
          /** Unix ms. */
          acked_at: number | null;
          /** Unix ms. */
          acked_until: number | null;
          ack_note: string | null;
          /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
          hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
          /** Channels that heard of it. */
          told: string[];
          flapping: boolean;
          /** Alerts that this one suppresses. */
          below: number;
        }[];
      };
    };
    /** unack */
    alert_unack: {
      params: {
        /** id */
        id: number;
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        rule: string;
        rule_id: number;
        severity: 'info' | 'warning' | 'critical';
        state: 'pending' | 'open' | 'clearing' | 'closed';
        subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
        part: string;
        episode: number;
        /** Unix ms. */
        since: number;
        /** Unix ms. */
        opened_at: number | null;
        /** Unix ms. */
        closed_at: number | null;
        value: number | null;
        /** The value as people read it: `96.2 %`. */
        value_text: string;
        /** What it was compared with: `> 90`. */
        threshold: string;
        summary: string;
        acked_by: string | null;
        /** Unix ms. */
        acked_at: number | null;
        /** Unix ms. */
        acked_until: number | null;
        ack_note: string | null;
        /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
        hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
        /** Channels that heard of it. */
        told: string[];
        flapping: boolean;
        /** Alerts that this one suppresses. */
        below: number;
      };
    };
    /** window_create */
    alert_window_create: {
      params: {
        /** x */
        window: {
          /** Name that people read; unique. */
          name: string;
          /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
          scope: {
            /** Rules, by name. */
            rules?: string[];
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
            severity?: 'info' | 'warning' | 'critical';
          };
          /** IANA zone of `cron`. Default: `UTC`. */
          zone?: string | null;
          once?: {
            /** Unix ms. */
            from: number;
            /** Unix ms. */
            to: number;
          } | null;
          /** Five fields: when it begins. */
          cron?: string | null;
          /** Seconds from each begin on. */
          duration_s?: number | null;
          /** `quiet`: nothing is sent. `pause`: nothing is checked, either. Default: `quiet`. */
          effect?: 'quiet' | 'pause' | null;
          /** Slugs of the status pages that show it. */
          public?: string[] | null;
          /** Default: true. */
          enable?: boolean | null;
        };
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        zone: string;
        once: {
          /** Unix ms. */
          from: number;
          /** Unix ms. */
          to: number;
        } | null;
        cron: string | null;
        duration_s: number | null;
        effect: 'quiet' | 'pause';
        public: string[];
        enable: boolean;
        active: boolean;
        /** The next five, `[from, to]`. */
        next: [number, number][];
      };
    };
    /** window_delete */
    alert_window_delete: {
      params: {
        /** Name that people read; unique. */
        name: string;
      };
      result: { success: boolean };
    };
    /** window_list */
    alert_window_list: {
      params: {};
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        zone: string;
        once: {
          /** Unix ms. */
          from: number;
          /** Unix ms. */
          to: number;
        } | null;
        cron: string | null;
        duration_s: number | null;
        effect: 'quiet' | 'pause';
        public: string[];
        enable: boolean;
        active: boolean;
        /** The next five, `[from, to]`. */
        next: [number, number][];
      }[];
    };
    /** window_preview */
    alert_window_preview: {
      params: {
        /** x */
        window: {
          /** Name that people read; unique. */
          name: string;
          /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
          scope: {
            /** Rules, by name. */
            rules?: string[];
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
            severity?: 'info' | 'warning' | 'critical';
          };
          /** IANA zone of `cron`. Default: `UTC`. */
          zone?: string | null;
          once?: {
            /** Unix ms. */
            from: number;
            /** Unix ms. */
            to: number;
          } | null;
          /** Five fields: when it begins. */
          cron?: string | null;
          /** Seconds from each begin on. */
          duration_s?: number | null;
          /** `quiet`: nothing is sent. `pause`: nothing is checked, either. Default: `quiet`. */
          effect?: 'quiet' | 'pause' | null;
          /** Slugs of the status pages that show it. */
          public?: string[] | null;
          /** Default: true. */
          enable?: boolean | null;
        };
        /** Unix ms. */
        from: number;
        /** Unix ms. */
        to: number;
      };
      result: { active: [number, number][] };
    };
    /** window_update */
    alert_window_update: {
      params: {
        /** Name that people read; unique. */
        name: string;
        /** x */
        change: {
          /** Name that people read; unique. */
          name?: string;
          /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
          scope?: {
            /** Rules, by name. */
            rules?: string[];
            agents?: string[];
            /** Machines with one of these tags. */
            tags?: string[];
            /** Monitors, by name. */
            monitors?: string[];
            severity?: 'info' | 'warning' | 'critical';
          };
          /** IANA zone of `cron`. Default: `UTC`. */
          zone?: string | null;
          once?: {
            /** Unix ms. */
            from: number;
            /** Unix ms. */
            to: number;
          } | null;
          /** Five fields: when it begins. */
          cron?: string | null;
          /** Seconds from each begin on. */
          duration_s?: number | null;
          /** `quiet`: nothing is sent. `pause`: nothing is checked, either. Default: `quiet`. */
          effect?: 'quiet' | 'pause' | null;
          /** Slugs of the status pages that show it. */
          public?: string[] | null;
          /** Default: true. */
          enable?: boolean | null;
        };
      };
      result: {
        id: number;
        /** Name that people read; unique. */
        name: string;
        /** All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones. */
        scope: {
          /** Rules, by name. */
          rules?: string[];
          agents?: string[];
          /** Machines with one of these tags. */
          tags?: string[];
          /** Monitors, by name. */
          monitors?: string[];
          severity?: 'info' | 'warning' | 'critical';
        };
        zone: string;
        once: {
          /** Unix ms. */
          from: number;
          /** Unix ms. */
          to: number;
        } | null;
        cron: string | null;
        duration_s: number | null;
        effect: 'quiet' | 'pause';
        public: string[];
        enable: boolean;
        active: boolean;
        /** The next five, `[from, to]`. */
        next: [number, number][];
      };
    };
    /** Creates. */
    channel_create: {
      params: {
        channel: {
          /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
          name: string;
          kind: string;
          /** Fields of the kind that are no secret (`channel_kinds`). */
          config: { [name: string]: unknown };
          /** Secret fields of the kind. They are stored sealed and never answered. */
          secret?: { [name: string]: unknown } | null;
          /** Default: `en`. */
          language?: 'en' | 'zh-CN' | null;
          /** IANA time zone of its messages. Default: `UTC`. */
          zone?: string | null;
          /** Default: true. */
          enable?: boolean | null;
        };
        /** u */
        public_url?: string | null;
      };
      result: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
        kind: string;
        /** Fields of the kind. */
        config: { [name: string]: unknown };
        /** Which secret fields are set. */
        secret: { [name: string]: { set: boolean } };
        language: 'en' | 'zh-CN';
        zone: string;
        enable: boolean;
        /** Key of the token that wrote it; absent: the Super Token. */
        owner?: string;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        updated_at: number;
        /** Unix ms; null: it works. */
        failing_since: number | null;
        /** Unix ms of the last message that was taken. */
        last_ok_at: number | null;
        last_status: number | null;
        /** What the receiver said; for its owner only. */
        last_error: string | null;
        sent: number;
        failed: number;
        dropped: number;
        /** Messages in the outbox. */
        waiting: number;
      };
    };
    /** Deletes. */
    channel_delete: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
      };
      result: { success: boolean; dropped: number };
    };
    /** One. */
    channel_get: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
      };
      result: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
        kind: string;
        /** Fields of the kind. */
        config: { [name: string]: unknown };
        /** Which secret fields are set. */
        secret: { [name: string]: { set: boolean } };
        language: 'en' | 'zh-CN';
        zone: string;
        enable: boolean;
        /** Key of the token that wrote it; absent: the Super Token. */
        owner?: string;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        updated_at: number;
        /** Unix ms; null: it works. */
        failing_since: number | null;
        /** Unix ms of the last message that was taken. */
        last_ok_at: number | null;
        last_status: number | null;
        /** What the receiver said; for its owner only. */
        last_error: string | null;
        sent: number;
        failed: number;
        dropped: number;
        /** Messages in the outbox. */
        waiting: number;
      };
    };
    /** Kinds of channels. */
    channel_kinds: {
      params: {};
      result: {
        kind: string;
        title: string;
        summary: string;
        fields: {
          name: string;
          title: string;
          type: 'text' | 'url' | 'number' | 'boolean' | 'choice' | 'list' | 'multiline';
          required: boolean;
          secret: boolean;
          choices?: string[];
          default?: unknown;
          example?: string;
          /** Where people find the value. */
          help?: string;
        }[];
        /** Severity → priority that this kind knows. */
        priorities?: { [name: string]: string };
        /** URL that fills the form. */
        example_url?: string;
      }[];
    };
    /** All. */
    channel_list: {
      params: {};
      result: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
        kind: string;
        /** Fields of the kind. */
        config: { [name: string]: unknown };
        /** Which secret fields are set. */
        secret: { [name: string]: { set: boolean } };
        language: 'en' | 'zh-CN';
        zone: string;
        enable: boolean;
        /** Key of the token that wrote it; absent: the Super Token. */
        owner?: string;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        updated_at: number;
        /** Unix ms; null: it works. */
        failing_since: number | null;
        /** Unix ms of the last message that was taken. */
        last_ok_at: number | null;
        last_status: number | null;
        /** What the receiver said; for its owner only. */
        last_error: string | null;
        sent: number;
        failed: number;
        dropped: number;
        /** Messages in the outbox. */
        waiting: number;
      }[];
    };
    /** Outbox. */
    channel_outbox: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name?: string | null;
        /** s */
        state?: 'waiting' | 'sent' | 'dropped' | 'merged' | null;
        /** l */
        limit?: number | null;
      };
      result: {
        id: number;
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        channel: string;
        message_id: string;
        type: string;
        title: string;
        severity: 'info' | 'warning' | 'critical';
        state: 'waiting' | 'sent' | 'dropped' | 'merged';
        tries: number;
        /** Unix ms of the next try. */
        due: number;
        /** Unix ms. */
        created_at: number;
        /** Unix ms. */
        sent_at: number | null;
        status: number | null;
        last_error: string | null;
      }[];
    };
    /** Reads a URL. */
    channel_read_url: {
      params: {
        /** URL */
        url: string;
      };
      result: {
        kind: string;
        /** Fields of the kind. */
        config: { [name: string]: unknown };
        /** Secret fields of the kind, as the URL holds them. */
        secret: { [name: string]: unknown };
      };
    };
    /** Retries. */
    channel_retry: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
      };
      result: { waiting: number };
    };
    /** Sends. */
    channel_send: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
        /** t */
        title: string;
        /** t */
        text: string;
        /** s */
        severity?: string | null;
        /** k */
        key?: string | null;
      };
      result: { message_id: string };
    };
    /** Tests. */
    channel_test: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name?: string | null;
        channel?: {
          /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
          name: string;
          kind: string;
          /** Fields of the kind that are no secret (`channel_kinds`). */
          config: { [name: string]: unknown };
          /** Secret fields of the kind. They are stored sealed and never answered. */
          secret?: { [name: string]: unknown } | null;
          /** Default: `en`. */
          language?: 'en' | 'zh-CN' | null;
          /** IANA time zone of its messages. Default: `UTC`. */
          zone?: string | null;
          /** Default: true. */
          enable?: boolean | null;
        } | null;
      };
      result: {
        ok: boolean;
        host: string;
        status: number | null;
        ms: number;
        /** What the receiver said, in words, and what to change. */
        message: string;
      };
    };
    /** Changes. */
    channel_update: {
      params: {
        /** Name of the channel: letters, digits, `.`, `_` and `-`, at most 64. */
        name: string;
        change: {
          /** Fields of the kind that are no secret (`channel_kinds`). */
          config?: { [name: string]: unknown };
          /** Secret fields of the kind. They are stored sealed and never answered. */
          secret?: { [name: string]: unknown } | null;
          /** Default: `en`. */
          language?: 'en' | 'zh-CN' | null;
          /** IANA time zone of its messages. Default: `UTC`. */
          zone?: string | null;
          /** Default: true. */
          enable?: boolean | null;
        };
      };
      result: unknown;
    };
  }

  /** Streams: what the parameters hold beside the credential, and one item. */
  interface Subscriptions {
    /** s */
    alert_subscribe: {
      params: {};
      item: {
        alerts: {
          id: number;
          /** Name that people read; unique. */
          rule: string;
          rule_id: number;
          severity: 'info' | 'warning' | 'critical';
          state: 'pending' | 'open' | 'clearing' | 'closed';
          subject: { kind: 'agent' | 'monitor' | 'server' | 'channel'; id: string; name: string };
          part: string;
          episode: number;
          /** Unix ms. */
          since: number;
          /** Unix ms. */
          opened_at: number | null;
          /** Unix ms. */
          closed_at: number | null;
          value: number | null;
          /** The value as people read it: `96.2 %`. */
          value_text: string;
          /** What it was compared with: `> 90`. */
          threshold: string;
          summary: string;
          acked_by: string | null;
          /** Unix ms. */
          acked_at: number | null;
          /** Unix ms. */
          acked_until: number | null;
          ack_note: string | null;
          /** Why nothing is sent now: a silence, a window, another alert, or a silent machine. */
          hidden_by: { kind: 'silence' | 'window' | 'subject' | 'frozen'; name: string } | null;
          /** Channels that heard of it. */
          told: string[];
          flapping: boolean;
          /** Alerts that this one suppresses. */
          below: number;
        }[];
        closed: number[];
        counts: { critical: number; warning: number; info: number; unacked: number };
      };
    };
  }
}

import { RpcError } from '@svc/client';
import type { Session } from '../session.ts';

interface Check {
  readonly valid: boolean;
  readonly errors: readonly { readonly message: string; readonly from: number }[];
}
type Asked = Record<string, unknown>;
type Rule = Readonly<Record<string, unknown>> & { readonly name: string };

const SEVERITIES: readonly unknown[] = ['info', 'warning', 'critical', undefined, null];

/** Faults of a rule of a file, as far as they can be known without storing it. */
export async function faultsOf(session: Session, rule: Rule): Promise<string[]> {
  const { name, source, scope, condition, clear, severity } = rule;
  const faults: string[] = [];
  if (!SEVERITIES.includes(severity))
    faults.push(`severity: ${JSON.stringify(severity)} is none of info, warning, critical`);
  for (const [member, text] of Object.entries({ condition, clear })) {
    if (text === undefined || text === null) continue;
    const asked: Asked = { source, condition: text, ...(scope !== undefined && { scope }) };
    const found = await faultOf(session, asked);
    if (found !== undefined) faults.push(`${member}: ${found}`);
  }
  return faults.map((fault) => `rule ${name}: ${fault}`);
}

async function faultOf(session: Session, asked: Asked): Promise<string | undefined> {
  try {
    const { valid, errors } = (await session.anyMethod.call('alert_rule_check', asked)) as Check;
    const [first] = errors;
    if (valid) return undefined;
    return first ? `character ${first.from + 1}: ${first.message}` : 'it is not valid';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return error.message;
  }
}

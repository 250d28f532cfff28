import { kvScenarios } from './scenarios/zz-kv.ts';
for (const f of await kvScenarios[process.argv[2] === 'pg' ? 1 : 0]!.run()) console.log(f.figure, f.value.toFixed(1), f.unit, f.note);
process.exit(0);

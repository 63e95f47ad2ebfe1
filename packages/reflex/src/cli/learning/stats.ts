import { skillFigures, type SkillFigures } from '../../learn/control/figures.ts'
import { plainJson, utc } from '../../protocol/plain.ts'
import { EXIT } from '../exit.ts'
import { table, tabSeparated } from '../layout.ts'
import type { Session } from '../session.ts'
import type { Given } from './given.ts'
import { percent } from './text.ts'

const DAYS = 30

/** `skill stats`: what skills did in the runs of the last thirty days, by version and together (seed skill 13). */
export async function stats({ console, reflex }: Session, { registry }: Given['project']): Promise<number> {
  const { now } = console
  const { skills, system } = await skillFigures(reflex.store, { from: now - DAYS * 86_400_000, to: now + 1 }, await registry.list())
  const { out, shape } = console
  if (shape !== 'text') {
    const dated = skills.map(({ last_ci_pass: at, ...rest }) => ({ ...rest, last_ci_pass: at === null ? null : utc(at) }))
    console.document(plainJson({ v: 1, days: DAYS, skills: dated, system }))
    return EXIT.done
  }
  const totals = Object.entries(system).map(([name, value]: [string, number | null]) => [name, figure(name, value)])
  if (!out.terminal) console.world.out.write(tabSeparated([...skills.map(rowOf), ...totals]))
  else {
    const head = ['skill', 'calls', 'succeeded', 'done without it', 'failures in a row']
    console.print(table(head, skills.map(rowOf), out, [1, 2, 3, 4]))
    console.print(['', ...table(['of all', `last ${DAYS} days`], totals, out, [1])])
  }
  return EXIT.done
}

function rowOf({ skill, version, calls, success_rate, fallback_rate, failure_streak }: SkillFigures): string[] {
  return [`${skill}@${version}`, String(calls), share(success_rate), share(fallback_rate), String(failure_streak)]
}

function figure(name: string, value: number | null): string {
  return name.endsWith('_rate') || name === 'precision_at_1' ? share(value) : String(value)
}

function share(value: number | null): string {
  return value === null ? '' : percent(value)
}

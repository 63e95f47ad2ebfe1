import type { Json } from '../../kernel/index.ts'
import { compareSkills, type SkillDifference } from '../../learn/registry/compare.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT } from '../exit.ts'
import { factLine, hangingLines, tabSeparated } from '../layout.ts'
import { shortJson } from '../../text/index.ts'
import type { Console } from '../console.ts'
import type { Given } from './given.ts'

/** `skill diff ID V1 V2`: compares two versions and names the step of the version. Exits with 1 if they differ, as `diff` does. */
export async function compare({ session, project: { registry }, rest }: Given, id: string): Promise<number> {
  const [one, other] = rest
  if (one === undefined || other === undefined)
    throw faults.make('R2031', 'skill diff takes two versions', { fix: `reflex skill diff ${id} 1.0.0 1.1.0` })
  const difference = compareSkills(await registry.find(`${id}@${one}`), await registry.find(`${id}@${other}`))
  return print(session.console, id, difference)
}

function print(console: Console, id: string, difference: SkillDifference): number {
  const { out, shape } = console
  const { from, to, step, suggested, because, changes } = difference
  const isEqual = changes.length === 0
  if (shape !== 'text') console.document(plainJson({ v: 1, skill: id, equal: isEqual, ...difference }))
  else if (!out.terminal)
    console.world.out.write(tabSeparated(changes.map(({ path, before, after }) => [path, sideOf(before), sideOf(after)])))
  else {
    const said = step === 'none' ? 'no step of the version' : `a ${step} step, ${suggested} from ${from}`
    const head = isEqual ? 'equal' : because.length === 0 ? said : `${said}, because of ${because.join(', ')}`
    console.print([
      ...factLine(id, out.paint('bold', out.text(id)), [`${from} → ${to}`, head], out),
      ...changes.flatMap(({ path, before, after }) =>
        hangingLines(`${path}: ${sideOf(before)} → ${sideOf(after)}`, out, 2, (text) => text),
      ),
    ])
  }
  return isEqual ? EXIT.done : EXIT.no
}

/** The most characters of a value. */
const LONGEST = 60

function sideOf(value: Json | undefined): string {
  return value === undefined ? 'absent' : shortJson(value, LONGEST)
}

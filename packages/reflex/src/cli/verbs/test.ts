import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { faultData } from '../../kernel/index.ts'
import { counted, plainJson } from '../../protocol/plain.ts'
import type { BrokenCondition, PropertyReport, PropertyTester, StatedCondition } from '../../programs/property-tests.ts'
import { faults } from '../../runs/faults.ts'
import { displayJson } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import type { Console } from '../console.ts'
import type { ContinueFlags } from '../options.ts'
import { kindOptions } from '../start-options.ts'
import type { Session } from '../session.ts'

export interface TestFlags extends ContinueFlags {
  readonly kind?: string
  readonly tools?: readonly string[]
  readonly holds?: readonly string[]
  readonly seed?: string
  readonly events?: string
}

const USUAL_EVENTS = 10_000
const MOST_EVENTS = 10_000_000

/**
 * `reflex test PROGRAM`: searches events that break conditions, and prints the shortest ones as lines that `reflex run --events` takes.
 * Standard output has nothing but events; what became of each condition is on standard error.
 */
export async function test(session: Session, program: string, file: string | undefined, flags: TestFlags): Promise<number> {
  const { console, reflex } = session
  const seed = numberOf('--seed', flags.seed, 1, Number.MAX_SAFE_INTEGER)
  const events = numberOf('--events', flags.events, USUAL_EVENTS, MOST_EVENTS)
  await reflex.useTools(flags.tools ?? [])
  const loaded = await reflex.named(program, kindOptions({ ...flags }, 'test'), { kind: flags.kind, lint: false })
  const tester = reflex.kinds.tests(loaded.kind)
  if (tester === undefined)
    throw faults.make('R2031', `${program} cannot be tested: it is a ${loaded.kind}`, {
      file: program,
      fix: `reflex validate ${program}`,
    })
  const stated = (flags.holds ?? []).map((text): StatedCondition => ({ name: text, text }))
  const conditions = [
    ...stated,
    ...readFile(session, tester, fileOf(console, { program: loaded.file ?? program, file, isNeeded: stated.length === 0 })),
  ]
  const report = tester.test(loaded, conditions, { seed, events })
  if (console.shape === 'text') show(console, report, seed)
  else console.document(plainJson(documentOf(report, seed)))
  return report.broken.length + report.findings.length > 0 ? EXIT.no : EXIT.done
}

function numberOf(flag: string, word: string | undefined, usual: number, most: number): number {
  if (word === undefined) return usual
  const number = Number(word)
  if (/^\d+$/.test(word) && number <= most) return number
  throw faults.make('R2031', `${flag} ${JSON.stringify(word)} is not a whole number up to ${most}`, { fix: `write ${flag} ${usual}` })
}

/** Returns the file of conditions: the one that is named, else NAME.test.json beside the program. */
function fileOf(
  { world }: Console,
  { program, file, isNeeded }: { readonly program: string; readonly file: string | undefined; readonly isNeeded: boolean },
): string | undefined {
  if (file !== undefined) return resolve(world.surroundings.cwd, file)
  const beside = program.replace(/(\.[a-z]+)?\.[a-z]+$/, '.test.json')
  return isNeeded && existsSync(beside) ? beside : undefined
}

function readFile({ console }: Session, tester: PropertyTester, file: string | undefined): readonly StatedCondition[] {
  if (file === undefined) return []
  if (!existsSync(file))
    throw faults.make('R2031', `there is no file ${console.nearPath(file)}`, { file, fix: 'name a file of conditions' })
  const { conditions, findings } = tester.read(readFileSync(file, 'utf8'), console.nearPath(file))
  const [first] = findings.filter(({ severity }) => severity === 'error')
  if (first !== undefined) throw first
  return conditions
}

function show(console: Console, { broken, held, events, situations, findings }: PropertyReport, seed: number): void {
  const { err } = console
  for (const found of findings) console.report(console.fault(found))
  for (const one of broken) showBroken(console, one)
  for (const { name } of held) console.report([`${err.paint('green', err.mark('done'))} ${err.text(name)}`])
  console.report([`${counted(events, 'event')} tried, ${counted(situations, 'situation')} reached, seed ${seed}`])
}

function showBroken(console: Console, { condition, events, seen, why }: BrokenCondition): void {
  const { err } = console
  const { name, text } = condition
  console.report([
    `${err.paint('red', err.mark('failed'))} ${err.text(name)}  broken after ${counted(events.length, 'event')}`,
    ...(name === text ? [] : [`  ${err.text(text)}`]),
    ...(why === undefined ? [] : [`  it has no value: ${err.text(why)}`]),
    ...seen.map(([key, value]) => `  ${key}  ${err.text(displayJson(value))}`),
  ])
  console.print(events.map((event) => JSON.stringify(event)))
}

function documentOf({ broken, held, events, situations, findings }: PropertyReport, seed: number): object {
  return {
    v: 1,
    seed,
    events,
    situations,
    broken: broken.map(({ condition, events: shortest, seen, why }) => ({
      name: condition.name,
      holds: condition.text,
      events: shortest,
      seen: Object.fromEntries(seen),
      ...(why === undefined ? {} : { why }),
    })),
    held: held.map(({ name, text }) => ({ name, holds: text })),
    findings: findings.map((found) => ({ severity: found.severity, ...faultData(found) })),
  }
}

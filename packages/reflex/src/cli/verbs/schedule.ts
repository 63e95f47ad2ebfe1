import { readPriority } from '../../app/cluster/names.ts'
import { plainJson, utc } from '../../protocol/plain.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { faults } from '../../runs/faults.ts'
import { NAME, placeOf, SCHEDULE, type Schedule } from '../../serve/triggers/config.ts'
import { scheduleDocument, Schedules, type ScheduleView } from '../../serve/triggers/schedules.ts'
import { quote, suggest } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { readInputs } from '../grammar.ts'
import { commandHint, factLine, table, tabSeparated } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface ScheduleFlags extends ContinueFlags {
  readonly cron?: string
  readonly zone?: string
  readonly input?: readonly string[]
  readonly missed?: string
  readonly most?: string
  readonly overlap?: string
  readonly paused?: boolean
  /** The place of its runs among those of a cluster. */
  readonly queue?: string
  readonly tenant?: string
  readonly priority?: string
  readonly needs?: readonly string[]
}

const ACTIONS = ['add', 'list', 'pause', 'resume', 'remove'] as const

/**
 * `reflex schedule`: adds, lists, pauses, resumes and removes the schedules of a store, which servers and workers fire. Throws `R2031` for
 * other words, and the faults of `Schedules`.
 */
export async function schedule(session: Session, words: readonly string[], flags: ScheduleFlags): Promise<number> {
  const [action = 'list', name, program] = words
  if (action === 'list') {
    if (name !== undefined) throw faults.make('R2031', 'schedule list takes no name', { fix: 'reflex schedule list' })
    return list(session)
  }
  const known = ACTIONS.find((one) => one === action)
  if (known === undefined) {
    const guess = suggest(action, ACTIONS)
    throw faults.make('R2031', `schedule ${quote(action)} is not known; it is ${ACTIONS.join(', ')}`, {
      fix: `reflex schedule ${guess ?? 'list'}`,
    })
  }
  if (name === undefined || (known === 'add') !== (program !== undefined)) {
    const more = known === 'add' ? 'NAME PROGRAM --cron CRON' : 'NAME'
    throw faults.make('R2031', `schedule ${known} takes ${more}`, { fix: `reflex schedule ${known} ${more}` })
  }
  if (known === 'add') return add(session, { name, program: program ?? '' }, flags)
  const schedules = new Schedules(session.reflex)
  if (known === 'remove') {
    await schedules.remove(name)
    return printChange(session, 'removed', name, { v: 1, removed: name })
  }
  await schedules.pause(name, known === 'pause')
  return printView(session, known === 'pause' ? 'paused' : 'resumed', await schedules.view(name))
}

async function add(session: Session, named: { readonly name: string; readonly program: string }, flags: ScheduleFlags): Promise<number> {
  const { reflex } = session
  const { name, program } = named
  if (flags.cron === undefined) throw faults.make('R2031', 'schedule add has no --cron', { fix: "write --cron '0 3 * * *'" })
  if (!NAME.safeParse(name).success)
    throw serveFaults.make('R6056', `${quote(name)} is no name of a schedule: up to 64 letters, digits, dots, hyphens and underscores`)
  const made = scheduleOf(program, (await readInputs(flags.input ?? [], session.read)).input, flags)
  await reflex.library.named(program, reflex.workdir)
  const schedules = new Schedules(reflex)
  await schedules.add(name, made)
  return printView(session, 'added', await schedules.view(name))
}

/** Throws `R5110` for a priority that is not one, and `R6056` for another value that a schedule does not take. */
function scheduleOf(program: string, input: object, flags: ScheduleFlags): Schedule {
  const { cron, zone, missed, most, overlap, paused, queue, tenant, priority, needs } = flags
  const given = {
    zone,
    missed,
    most: most === undefined ? undefined : Number(most),
    overlap,
    paused,
    queue,
    tenant,
    priority: priority === undefined ? undefined : readPriority(priority),
    needs,
  }
  const read = SCHEDULE.safeParse({
    cron,
    program,
    input,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  throw serveFaults.make('R6056', `${path}: ${issue?.message ?? 'it is not valid'}`, { path })
}

async function list({ console, reflex }: Session): Promise<number> {
  const views = await new Schedules(reflex).list()
  if (console.shape === 'json') console.document(plainJson({ v: 1, schedules: views.map(scheduleDocument) }))
  else if (console.shape === 'jsonl') for (const view of views) console.document(plainJson({ v: 1, schedule: scheduleDocument(view) }))
  else if (!console.out.terminal) console.world.out.write(tabSeparated(views.map(rowOf)))
  else if (views.length === 0) console.print([`no schedules · ${console.command('schedule', 'add', 'NAME', 'PROGRAM', '--cron', 'CRON')}`])
  else console.print(table(['schedule', 'cron', 'zone', 'program', 'next', 'last', 'place'], views.map(rowOf), console.out))
  return EXIT.done
}

function rowOf({ name, schedule, next, last }: ScheduleView): string[] {
  const { cron, zone, program, paused } = schedule
  const upcoming = paused ? 'paused' : utc(next[0] ?? 0)
  const latest = [last?.did, last?.did === 'failed' ? last.error?.code : last?.run].filter(Boolean).join(' ')
  return [name, cron, zone, program, upcoming, latest, placeText(schedule)]
}

/** Returns the place of the runs of a schedule in a cluster, in words: `queue refunds, needs gpu`. */
function placeText(schedule: Schedule): string {
  return Object.entries(placeOf(schedule))
    .map(([part, value]) => `${part} ${[value].flat().join(' ')}`)
    .join(', ')
}

function printView(session: Session, did: string, view: ScheduleView): number {
  const { name, next, schedule } = view
  const facts = next.map((time) => `next ${utc(time)}`).slice(0, 1)
  // Only processes of the cluster start a run at its place.
  const flags = placeText(schedule) === '' ? [] : ['--cluster']
  const firedBy = `${session.console.command('worker', ...flags)} or ${session.console.command('serve', ...flags)}`
  const document = { v: 1, schedule: scheduleDocument(view) }
  return printChange(session, did, name, document, facts, did === 'added' ? [commandHint(session.console.err, 'fired by', firedBy)] : [])
}

function printChange(
  { console }: Session,
  did: string,
  name: string,
  document: object,
  facts: readonly string[] = [],
  hint: readonly string[] = [],
): number {
  if (console.shape !== 'text') console.document(plainJson(document))
  else if (!console.quiet) {
    const { err } = console
    const lead = `${did}  ${err.text(name)}`
    console.report([...factLine(lead, lead, facts, err), ...hint])
  }
  return EXIT.done
}

import { dirname, resolve } from 'node:path'
import { isFault, type Json } from '../../kernel/index.ts'
import type { StoryEvent } from '../../programs/kind-view.ts'
import type { LiveKey, LiveRuns } from '../../programs/live-runs.ts'
import { faults } from '../../runs/faults.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { type RunHooks, driveRun } from '../drive-run.ts'
import { eventLines, requireEvents } from '../event-lines.ts'
import { runHeader } from '../header.ts'
import { type Line, pressLine } from '../menu.ts'
import type { RunFlags } from '../options.ts'
import type { Console } from '../console.ts'
import type { Look } from '../look.ts'
import { fittingRows } from '../picture-rows.ts'
import type { Progress } from '../progress.ts'
import type { Session } from '../session.ts'
import { type LiveKind, startOptions } from '../start-options.ts'

export interface WatchFlags extends RunFlags {
  /** A file of events, one JSON value on each line; `-` is standard input. */
  readonly events?: string
}

/** Returns how runs of a program are fed and watched. Throws `R2031` for a kind whose runs take no events. */
export async function liveRuns({ console, reflex }: Session, file: string, kind?: string): Promise<LiveKind> {
  const { program } = await reflex.library.load(resolve(console.world.surroundings.cwd, file), kind)
  const live = reflex.kinds.live(program.kind)
  if (live !== undefined) return { kind: program.kind, live }
  throw faults.make('R2031', `${file} takes no events: it is a ${program.kind}`, { file, fix: `reflex run ${file}` })
}

/** Sends the events of a file to a run, each after the last one has been handled, until the file or the run ends. */
export async function feed(session: Session, { run }: RunHandle, live: LiveRuns, name: string): Promise<void> {
  const { console, reflex } = session
  for await (const event of eventLines(session, name)) {
    if (run.state.ended !== undefined) return
    if ('wrong' in event) {
      console.report(console.fault(event.wrong))
      continue
    }
    await run.message(live.topics.event, event.body, { by: reflex.actor })
    await run.idle()
  }
}

/**
 * `reflex watch FILE`: runs a program that stays for events, gives it each version that is saved, and shows its nodes. Throws `R2031` with
 * `--cluster`: only the process that holds a run gives it a version and the commands of a person.
 */
export async function watch(session: Session, file: string, flags: WatchFlags): Promise<number> {
  if (flags.cluster === true)
    throw faults.make('R2031', 'watch holds its run, and the workers of a cluster hold theirs', {
      fix: 'leave --cluster out; or reflex run FILE --cluster --break NODE, then reflex signal RUN debug step',
    })
  const watched = await liveRuns(session, file, flags.kind)
  await requireEvents(session, flags.events)
  const { live } = watched
  const options = await startOptions(session, flags, watched)
  const hooks: RunHooks = {
    open: (prepare) => session.reflex.start(file, { ...options, prepare }),
    header: (handle) => runHeader(session, handle, []),
    isShown: ({ event }) => !DRAWN.includes(event.mark),
    beforeContinue: (handle, progress) => stay(session, { file, live, handle, progress, events: flags.events }),
  }
  return driveRun(session, { ...flags, answers: flags.answers ?? 'none' }, hooks)
}

/** The marks of events that the picture of the nodes shows. */
const DRAWN: readonly StoryEvent['mark'][] = ['enter', 'step', 'done', 'fail', 'skip']

interface Watched {
  readonly file: string
  readonly live: LiveRuns
  readonly handle: RunHandle
  readonly progress: Progress
  readonly events: string | undefined
}

/** Resolves when a person leaves the run, and when it has ended. */
async function stay(session: Session, watched: Watched): Promise<void> {
  const { console, reflex } = session
  const { file, live, handle, progress, events } = watched
  const { surroundings } = console.world
  const path = resolve(surroundings.cwd, file)
  const read = () =>
    reflex.library.load(path, undefined).then(
      ({ program }) => program,
      (thrown: unknown) => {
        if (isFault(thrown)) return [thrown]
        throw thrown
      },
    )
  const saved = live.reloads(handle.run, reflex.runtime.programs, read)
  const left = Promise.withResolvers<void>()
  const keys = watchKeys(session, watched, () => left.resolve())
  const stopWatching = live.watch(dirname(path), surroundings.host, (name) => {
    saved(name).then((result) => {
      if (!('refused' in result)) return
      const lines = result.refused.flatMap((fault) => console.fault(fault))
      if (progress.screen === undefined) console.report(lines)
      else progress.screen.print(lines)
    }, left.reject)
  })
  const stopListening = console.world.onInterrupt(() => left.resolve())
  const stopRecords = handle.onRecord(() => {
    if (handle.run.state.ended !== undefined) left.resolve()
  })
  progress.screen?.showBlock(() => block(console, watched, keys.footer()))
  // Records are shown once they are durable, and a run that is waited for becomes durable at once.
  handle.idle().catch(left.reject)
  try {
    if (events !== undefined) feed(session, handle, live, events).catch(left.reject)
    await left.promise
  } finally {
    for (const stop of [keys.stop, stopWatching, stopListening, stopRecords]) stop()
    progress.screen?.removeBlock()
  }
}

/** Returns what the run does now, its nodes as far as the terminal has room, and the keys. */
function block({ err, now }: Console, { handle, live }: Watched, keys: readonly string[]): string[] {
  const about = fitted(live.about(handle.run), err)
  return [...about, ...fittingRows(handle.picture(now), err, err.rows - about.length - keys.length - 1), ...keys]
}

function fitted(text: string, look: Look): string[] {
  return look.wrap(look.text(text), look.room).map((line) => look.paint('dim', line))
}

/** Sends the commands of keys to the run. A key that asks for more takes a line of text first. */
function watchKeys(
  { console }: Session,
  { live, handle, progress }: Watched,
  leave: () => void,
): { readonly stop: () => void; readonly footer: () => readonly string[] } {
  let typed: { readonly key: LiveKey; readonly line: Line } | undefined
  const send = (command: Json | undefined): void => {
    if (command !== undefined) handle.run.command(0, command).catch(() => leave())
  }
  const stop = console.world.keyboard?.((pressed) => {
    if (typed !== undefined) {
      const { key } = typed
      const step = pressLine(typed.line, pressed)
      typed = 'line' in step ? { key, line: step.line } : undefined
      if ('entered' in step && step.entered.trim() !== '') send(live.command(key, step.entered.trim(), handle.run))
    } else if (pressed.text === 'q' || (pressed.ctrl && pressed.name === 'c')) return leave()
    else {
      const key = live.keys.find((one) => one.key === (pressed.text === ' ' ? 'space' : pressed.text))
      if (key?.asks !== undefined) typed = { key, line: { before: '', after: '' } }
      else if (key !== undefined) send(live.command(key, '', handle.run))
    }
    progress.screen?.refresh()
  })
  const hints = [...live.keys.map(({ key, about }) => `${key} ${about}`), 'q leave, resumable'].join(' · ')
  return {
    stop: () => stop?.(),
    footer: () => fitted(typed === undefined ? hints : `${typed.key.asks ?? ''}: ${typed.line.before}${typed.line.after}`, console.err),
  }
}

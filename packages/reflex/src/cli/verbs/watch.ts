import { dirname, resolve } from 'node:path'
import { isFault, type Json } from '../../kernel/index.ts'
import type { LiveKey, LiveRuns } from '../../programs/live-runs.ts'
import { faults } from '../../runs/faults.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { type RunHooks, driveRun } from '../drive-run.ts'
import { eventLines } from '../event-lines.ts'
import { runHeader } from '../header.ts'
import { type Line, pressLine } from '../menu.ts'
import type { RunFlags } from '../options.ts'
import { pictureRows } from '../picture-rows.ts'
import { type Progress, plainLine } from '../progress.ts'
import type { Session } from '../session.ts'

export interface WatchFlags extends RunFlags {
  /** A file of events, one JSON value on each line; `-` is standard input. */
  readonly events?: string
}

/** Returns how runs of a program are fed and watched. Throws `R2031` for a kind whose runs take no events. */
export async function liveRuns(
  { console, reflex }: Session,
  file: string,
  kind?: string,
): Promise<{ readonly kind: string; readonly live: LiveRuns }> {
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
      console.report([console.err.text(`! ${name}:${event.line}  refused: ${event.wrong}`)])
      continue
    }
    await run.message(live.topics.event, event.body, { by: reflex.actor })
    await run.idle()
  }
}

/** `reflex watch FILE`: runs a program that stays for events, gives it each version that is saved, and shows its nodes. */
export async function watch(session: Session, file: string, flags: WatchFlags): Promise<number> {
  const { reflex } = session
  const { kind, live } = await liveRuns(session, file, flags.kind)
  const byKind = { [kind]: live.options }
  const hooks: RunHooks = {
    open: (prepare) => reflex.start(file, { prepare, kind, ...byKind, ...(flags.id === undefined ? {} : { id: flags.id }) }),
    header: (handle) => runHeader(session, handle, []),
    beforeContinue: (handle, progress) => stay(session, { file, live, handle, progress, events: flags.events }),
  }
  return driveRun(session, { ...flags, answers: flags.answers ?? 'none' }, hooks)
}

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
      plainLine(console, console.now, 'refused', 'saved with errors, the old version goes on')
      for (const fault of result.refused) console.report(console.fault(fault))
    }, left.reject)
  })
  const stopListening = console.world.onInterrupt(() => left.resolve())
  const stopRecords = handle.onRecord(() => {
    if (handle.run.state.ended !== undefined) left.resolve()
  })
  progress.screen?.showBlock(() => [...pictureRows(handle.picture(console.now), console.err), keys.footer()])
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

/** Sends the commands of keys to the run. A key that asks for more takes a line of text first. */
function watchKeys(
  { console }: Session,
  { live, handle, progress }: Watched,
  leave: () => void,
): { readonly stop: () => void; readonly footer: () => string } {
  let typed: { readonly key: LiveKey; readonly line: Line } | undefined
  const send = (command: Json): void => void handle.run.command(0, command).catch(() => leave())
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
    footer: () =>
      console.err.paint(
        'dim',
        console.err.text(typed === undefined ? hints : `${typed.key.asks ?? ''}: ${typed.line.before}${typed.line.after}`),
      ),
  }
}

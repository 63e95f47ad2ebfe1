import { type Change, type Frame, type Json, originOf } from '../../../kernel/index.ts'
import { frameArgs } from './args.ts'
import { callArrival, endArrival, messageArrivals, timerArrival } from './arrivals.ts'
import type { CompiledGraph } from './compiled.ts'
import { channelOf } from './intents.ts'
import { batchArrivals, fileBatchOf } from './file-batch.ts'
import { keptPasses } from './live-passes.ts'
import { readPosition } from './position.ts'
import { Session } from './session.ts'
import type { Taken } from './taken.ts'
import { entriesAtStart } from './running.ts'

/** The sessions of frames whose records are read in order, each with the last record that it has seen. */
const followed = new WeakMap<Frame, { readonly record: number; readonly session: Session }>()

/**
 * Returns the passes of a record, computed again from its input and the board before it; undefined for a record without any. `traced`: with
 * every value of each pass. A record that follows the one before costs no more than its own passes.
 */
export function passesOf(change: Change<CompiledGraph>, { traced = false }: { readonly traced?: boolean } = {}): Taken | undefined {
  const { n, frame } = change
  const kept = traced ? undefined : keptPasses(frame, n, change.record.input)
  if (kept !== undefined) {
    // A session that has not seen these passes cannot go on.
    followed.delete(frame)
    return kept
  }
  const known = traced ? undefined : followed.get(frame)
  const session = known !== undefined && known.record < n ? known.session : sessionBefore(change, traced)
  session.fork = originOf(change.state).fork
  const taken = takenBy(session, change)
  if (taken !== undefined) session.move(readPosition(frame.position))
  if (!traced) followed.set(frame, { record: n, session })
  return taken
}

/** Returns the session of a frame as it was before a record. */
function sessionBefore({ n, frame, def, before, state }: Change<CompiledGraph>, traced: boolean): Session {
  const args = frameArgs(frame, state)
  const entries =
    entriesAtStart(args, before) ??
    [...frame.scope.liveEntries(n - 1)].flatMap(([key, { value }]): [string, Json][] => (value === undefined ? [] : [[key, value]]))
  return new Session({ def, args, traced }, entries, readPosition(before))
}

function takenBy(session: Session, change: Change<CompiledGraph>): Taken | undefined {
  const { n, at, record, frame, def, before, state } = change
  const args = frameArgs(frame, state)
  const { input } = record
  if (before === undefined && input !== undefined) return undefined
  if (before === undefined) return args.stays ? undefined : session.take([callArrival(def, args, originOf(state).run, frame.id)], at)
  switch (input?.[0]) {
    case undefined:
      return session.take([], at)
    case 'messages':
      return session.take(messageArrivals(input[2], session.position.read), at)
    case 'ok': {
      const batch = fileBatchOf(input[2])
      return batch === undefined ? undefined : session.take(batchArrivals(batch), at)
    }
    case 'timer': {
      const name = frame.waits?.find(({ id }) => id === input[1])?.name
      const source = args.sources.find((one) => one.from === 'timer' && one.name === name)
      return source?.from === 'timer' ? session.take([timerArrival(source, n, at)], at) : session.pump(at)
    }
    case 'end':
      return takenAtEnd(session, change)
    default:
      return undefined
  }
}

/** Returns the pass of an event that reports the end of a program. */
function takenAtEnd(session: Session, { at, record: { input }, frame, def, before, state }: Change<CompiledGraph>): Taken | undefined {
  if (input?.[0] !== 'end') return undefined
  const [kind = '', intent = ''] = readPosition(before).started[String(input[1])] ?? []
  const channel = channelOf(frameArgs(frame, state).host, kind)?.channel
  if (channel?.type !== 'program' || channel.ends_as === undefined) return undefined
  const value = state.dequeued?.[0] === 'end' ? state.dequeued[3] : undefined
  return session.take([endArrival(def, channel.ends_as, { intent, status: input[2], value, now: at })], at)
}

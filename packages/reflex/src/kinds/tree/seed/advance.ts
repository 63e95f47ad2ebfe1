import type { Json } from '../../../kernel/index.ts'
import type { MemoryRun } from './memory-run.ts'

const EVENT_TOPIC = 'event'

/** Ticks a run once: with an event, or without. `isActive`: it has an execution. */
export function advance(run: MemoryRun, event: Json | undefined, isActive: boolean, now: number): void {
  const isFirst = run.root.position === undefined
  if (isFirst) {
    // The first step begins an execution; the event is that of its first tick.
    if (event !== undefined) run.write(['_event', event], [])
    run.next()
  } else if (event !== undefined) sendMessage(run, EVENT_TOPIC, event)
  else again(run, isActive, now)
}

export function sendMessage(run: MemoryRun, topic: string, body: Json): void {
  const ref = run.topic(topic)
  if (ref !== undefined) run.give(['message', ref, body])
}

/** A tick without an event: what has arrived, else the tick that the last one asked for, else what is due, else just a tick. */
function again(run: MemoryRun, isActive: boolean, now: number): void {
  if (run.takeArrivals() > 0) return
  if (run.isNext(run.root) && isActive) return void run.next()
  const due = run.dueTimers(now)
  for (const ref of due) run.give(['timer', ref])
  if (due.length === 0) run.give(['host', { do: 'tick' }])
}

/** Finishes a tick: leaves that answer at once, and programs that the tree has called. A leaf that takes longer is RUNNING. */
export function finishTick(run: MemoryRun): void {
  for (;;) {
    const open = run.tree?.open
    if (open === undefined) {
      // A tick that was asked for belongs to the next call.
      if (run.state.queue.peek() === undefined || run.isNext(run.root)) return
      run.next()
    } else if (run.takeArrivals() === 0) run.give(['part', open.ref, { running: true }])
  }
}
